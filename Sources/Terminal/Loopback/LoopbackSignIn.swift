import BrokerAPI
public import BrokerClient
import FlowModel
import Moments
import OAuth

/// Answers the step in which a person signs in at another authority, by the browser that ends at a port of this command.
struct LoopbackSignIn: ChallengeHandler {
    /// The member of answers that holds the address.
    private static let node = "callbackUrl"

    let port: LoopbackPort

    /// Shows where to sign in, and waits for the browser.
    func answer(_ challenge: Challenge) async throws -> Answer {
        if let refusal = challenge.refusal { throw refusal }
        let data = challenge.step.data
        guard let address = data?["url"]?.string, let redirectURI = data?["redirectURI"]?.string,
            let end = LoopbackEnd(redirectURI, beginning: address)
        else { throw CommandFailure(.failed, "unsupported_step", TerminalText.noLoopback.text) }
        BrowserSign.show(address, until: challenge.flow.expiresAt)
        let now = MomentClock.system.now
        let left = Deadline(.milliseconds(max(0, challenge.flow.expiresAt - now.wall)), after: now)
        let query = try await port.answer(at: end, until: left)
        return .fields([Self.node: .string("\(redirectURI)?\(query)")])
    }
}

extension BrowserOption {
    /// Runs a sign-in; with `--localhost` its browser ends at a port of this command, which is open meanwhile.
    ///
    /// - Parameters:
    ///   - broker: The broker.
    ///   - body: The sign-in, with the port, if there is one.
    /// - Returns: The body's value.
    /// - Throws: The body's error, or a `CommandFailure` if there is no port.
    public func signingIn<Value: Sendable>(
        _ broker: BrokerClient,
        _ body: (UInt16?) async throws -> Value
    ) async throws -> Value {
        guard isLocalhost else { return try await body(nil) }
        let own = try LoopbackPort(port)
        return try await broker.withHandler(LoopbackSignIn(port: own), for: .type("browser")) {
            try await body(own.number)
        }
    }
}
