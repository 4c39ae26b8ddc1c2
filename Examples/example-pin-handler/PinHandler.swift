import BrokerAPI
import BrokerClient
import FlowModel
import OAuth

/// Answers the check `PinCodeAttempts` with lines from stdin, and prints its outcome.
struct PinHandler: ChallengeHandler {
    func answer(_ challenge: Challenge) async throws -> Answer {
        print("challenge: \(challenge.json.text)")
        guard let pin = readLine(), !pin.isEmpty else { return .cancel(reason: "no PIN was typed") }
        return .texts(["pin": pin])
    }

    func succeeded(_ success: ChallengeSuccess) async {
        print("success: \(success.flow.want.scopes.joined(separator: " "))")
    }

    func failed(_ failure: ChallengeFailure) async {
        print("failure: \(failure.message)")
    }
}

/// Requests a token for the balance, which requires a PIN: `printf '0000\n2468\n' | example-pin-handler`.
///
/// `example-bearer-token` sends a request with such a token. `tokenbroker token` prints one for programs in other languages.
@main struct Balance {
    static func main() async throws {
        let handlers = ChallengeHandlers().adding(PinHandler(), for: .check("PinCodeAttempts"))
        let broker = BrokerClient(clientID: "tasks-cli", handlers: handlers)
        do {
            let token = try await broker.acquireToken(scopes: ["accessRestricted"])
            print("a token for \(token.scopes.joined(separator: " ")), acr \(token.acr)")
        } catch {
            print("no token: \(error)")
        }
        await broker.close()
    }
}
