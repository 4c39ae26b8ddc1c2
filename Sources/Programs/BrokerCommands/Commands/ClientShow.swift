import ArgumentParser
import BrokerAPI
import BrokerClient
import FlowModel
import OAuth
import Terminal

struct ClientShowCommand: DaemonCommand {
    static let configuration = CommandConfiguration("show", "help.broker.clientShowCommand")

    @Argument(help: .text("help.broker.clientRemoveCommand.client")) var client: String
    @Option(help: .text("help.broker.clientShowCommand.policy")) var policy: String?
    @OptionGroup var connection: ConnectionOptions

    func run(_ correlation: CorrelationID) async throws {
        let (clients, policies) = try await connection.withBroker(correlation) { broker in
            (try await broker.call(ClientList()), try await broker.call(PolicyList()))
        }
        guard let found = clients.first(where: { $0.client == client }) else {
            throw CommandFailure(
                .failed,
                "unknown_client",
                Text("cli.broker.noClient", ["id": client]),
                hint: Text("cli.broker.clientsLists")
            )
        }
        let usable = policies.filter { $0.available && !$0.isOutside }
        let chosen =
            policy.map { name in usable.first { $0.policy == name.lowercased() } }
            ?? (usable.first { $0.kind == "sign-up-or-sign-in" } ?? usable.first { $0.kind == "sign-in" })
        guard let chosen else {
            throw CommandFailure(
                .failed,
                "unknown_policy",
                policy.map { Text("refusal.noSuchPolicy", ["policy": $0]) } ?? Text("failure.noPolicySignsIn")
            )
        }
        guard let issuer = chosen.issuer else {
            let reason = Text("refusal.policyOnlyStepsUp", ["policy": chosen.policy])
            throw CommandFailure(.failed, "unknown_policy", reason)
        }
        if shared.json { return try Output.json(found.json) }
        let (signOut, signing) = (found.signOut, found.signing)
        let isSigningSet = signing != TokenSigning()
        let scopes = found.scopes.joined(separator: " ")
        try Output.facts([
            (Text("cli.broker.client.id"), found.client),
            (Text("cli.broker.client.name"), found.name),
            (Text("cli.broker.client.type"), found.type.rawValue),
            (Text("cli.broker.client.redirectURIs"), found.redirectURIs.joined(separator: " ")),
            (Text("cli.broker.client.scopes"), scopes.isEmpty ? Text("cli.broker.client.allScopes").text : scopes),
            (Text("cli.broker.client.issuer"), issuer),
            (Text("cli.broker.client.postLogoutRedirectURIs"), signOut.postLogoutRedirectURIs.joined(separator: " ")),
            (Text("cli.broker.client.backchannelLogoutURI"), signOut.backchannelLogoutURI ?? ""),
            (Text("cli.broker.client.idTokens"), isSigningSet ? signing.idToken.rawValue : ""),
            (Text("cli.broker.client.accessTokens"), isSigningSet ? signing.accessToken.rawValue : ""),
        ])
        for line in ClientRecipe(found, issuer: issuer).lines { try Output.line(line) }
    }
}

/// Code examples that show how to use a client with common libraries.
struct ClientRecipe {
    private let client: ClientSummary
    private let issuer: String

    init(_ client: ClientSummary, issuer: String) {
        self.client = client
        self.issuer = issuer
    }

    var lines: [String] {
        switch client.type {
        case .browser: [""] + browser
        case .public, .confidential: [""] + msal + [""] + authlib + [""] + apache
        }
    }

    private var isConfidential: Bool {
        switch client.type {
        case .public, .browser: false
        case .confidential: true
        }
    }

    private var metadata: String { "\(issuer)/.well-known/openid-configuration" }
    private var redirectURI: String { client.redirectURIs.first ?? "REDIRECT_URI" }

    /// The example for MSAL, which requires https and an authority URL that does not end with `/v2.0`.
    private var msal: [String] {
        let authority = issuer.hasSuffix("/v2.0") ? String(issuer.dropLast("/v2.0".count)) : issuer
        let kind = isConfidential ? "ConfidentialClientApplication" : "PublicClientApplication"
        let secret = isConfidential ? ", client_credential=\"SECRET\"" : ""
        return [
            "# MSAL for Python", "app = msal.\(kind)(\"\(client.client)\", authority=\"\(authority)\"\(secret))",
        ]
    }

    private var browser: [String] {
        [
            "# oidc-client-ts",
            "const users = new UserManager({authority: \"\(issuer)\", client_id: \"\(client.client)\",",
            "    redirect_uri: \"\(redirectURI)\", scope: \"\(scopes)\"});",
        ]
    }

    private var authlib: [String] {
        [
            "# Authlib",
            "oauth.register(\"tokenbroker\", client_id=\"\(client.client)\","
                + (isConfidential ? " client_secret=\"SECRET\"," : "") + " server_metadata_url=\"\(metadata)\",",
            "    client_kwargs={\"scope\": \"\(scopes)\", \"code_challenge_method\": \"S256\"})",
        ]
    }

    private var apache: [String] {
        [
            "# mod_auth_openidc", "OIDCProviderMetadataURL \(metadata)", "OIDCClientID \(client.client)",
            isConfidential ? "OIDCClientSecret SECRET" : "OIDCProviderTokenEndpointAuth none",
            "OIDCRedirectURI \(redirectURI)", "OIDCPKCEMethod S256", "OIDCScope \"\(scopes)\"",
            "OIDCCryptoPassphrase PASSPHRASE",
        ]
    }

    private var scopes: String { (["openid", "profile", "offline_access"] + client.scopes).joined(separator: " ") }
}
