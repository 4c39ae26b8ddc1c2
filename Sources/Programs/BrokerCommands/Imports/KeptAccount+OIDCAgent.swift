import FlowModel
import OAuth
import Terminal

extension KeptAccount {
    /// Creates an account from the output of `oidc-gen -p NAME`.
    init(oidcAgent json: JSONValue) throws(CommandFailure) {
        let source = Text("cli.broker.oidcAgentAccount")
        guard json.object != nil else {
            throw Self.refusal(Text("cli.broker.importUnreadable", ["source": source]))
        }
        let issuer: String
        if let said = json["issuer"]?.string, !said.isEmpty {
            issuer = said
        } else {
            issuer = try json.requiredText("issuer_url", of: source)
        }
        self.init(
            name: json["name"]?.string.map { Self.name($0) } ?? Self.name(of: issuer),
            issuer: issuer,
            clientID: try json.requiredText("client_id", of: source),
            clientSecret: json["client_secret"]?.string.flatMap { $0.isEmpty ? nil : Secret($0) },
            scopes: json["scope"]?.string.map { $0.split(separator: " ").map(String.init) } ?? [],
            refreshToken: Secret(try json.requiredText("refresh_token", of: source))
        )
    }
}
