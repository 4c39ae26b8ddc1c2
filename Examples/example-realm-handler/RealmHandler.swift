import BrokerAPI
import BrokerClient
import FlowModel
import OAuth

/// Answers the challenges of the realm `CorpRealm` with lines from stdin, one for each field.
struct RealmHandler: ChallengeHandler {
    func answer(_ challenge: Challenge) async throws -> Answer {
        print("challenge of \(challenge.realm ?? "nobody"): \(challenge.json.text)")
        var answers: [String: String] = [:]
        for node in challenge.step.nodes {
            guard let line = readLine(), !line.isEmpty else { return .cancel(reason: "nothing was typed") }
            answers[node.name] = line
        }
        return .texts(answers)
    }

    func succeeded(_ success: ChallengeSuccess) async {
        print("success: \(success.userIdentity?["displayName"]?.string ?? "nobody")")
    }

    func failed(_ failure: ChallengeFailure) async {
        print("failure: \(failure.message)")
    }
}

/// Requests a token for the data of the realm's users: `printf 'john.lennon\n12345\n' | example-realm-handler`.
@main struct Protected {
    static func main() async throws {
        let handlers = ChallengeHandlers().adding(RealmHandler(), for: .realm("CorpRealm"))
        let broker = BrokerClient(clientID: "tasks-cli", handlers: handlers)
        do {
            let token = try await broker.acquireToken(scopes: ["corp"])
            print("a token of \(token.claims["imf.user"]?["displayName"]?.string ?? "nobody")")
        } catch {
            print("no token: \(error)")
        }
        await broker.close()
    }
}
