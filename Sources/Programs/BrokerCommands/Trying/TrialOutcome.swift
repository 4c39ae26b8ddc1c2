import FlowModel
import OAuth
import Policies
import Terminal

/// Describes the tokens that a client gets at the end of a policy, but does not show the tokens' values.
struct TrialOutcome {
    private let token: AcquiredToken
    private let policy: Policy
    private let accessSeconds: Int64

    init(_ token: AcquiredToken, _ policy: Policy) {
        self.token = token
        self.policy = policy
        accessSeconds = token.expiresAt / 1000 - (token.claims["iat"]?.int ?? token.expiresAt / 1000)
    }

    func print() throws(CommandFailure) {
        try Output.line(Text("cli.trial.succeeded", ["id": policy.id.description]))
        try Output.line("  " + Text("cli.trial.scopes", ["scopes": token.scopes.joined(separator: ", ")]).text)
        try Output.line(
            "  " + Text("cli.trial.proved", ["acr": token.acr, "amr": token.amr.joined(separator: ", ")]).text
        )
        try Output.line("  " + lifetimes.text)
        try Output.line("  " + Text("cli.trial.claims").text)
        for (name, value) in claims { try Output.line("    \(name): \(value.string ?? value.text)") }
    }

    var json: JSONValue {
        var lifetimes: [String: JSONValue] = ["accessToken": .int(accessSeconds)]
        if isIssuer {
            lifetimes["idToken"] = .int(policy.tokens.idToken.components.seconds)
            lifetimes["refreshToken"] = .int(policy.tokens.refreshToken.components.seconds)
            lifetimes["slidingWindow"] = policy.tokens.slidingWindow.map { .int($0.components.seconds) } ?? .null
        }
        return [
            "policy": .string(policy.id.description), "outcome": "succeeded", "username": .string(token.username),
            "scopes": .array(token.scopes.map { .string($0) }), "acr": .string(token.acr),
            "amr": .array(token.amr.map { .string($0) }), "lifetimesSec": .object(lifetimes), "claims": token.claims,
        ]
    }

    private var claims: [(String, JSONValue)] {
        (token.claims.object ?? [:]).sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }

    /// Whether the tried policy itself issues the tokens.
    ///
    /// After a step-up, the policy with which the user signed in issues them.
    private var isIssuer: Bool { !policy.kind.stepsUp }

    private var lifetimes: Text {
        guard isIssuer else { return Text("cli.trial.accessLifetime", ["seconds": accessSeconds]) }
        return Text(
            "cli.trial.lifetimes",
            [
                "access": accessSeconds, "id": policy.tokens.idToken.components.seconds,
                "refresh": policy.tokens.refreshToken.components.seconds,
            ]
        )
    }
}
