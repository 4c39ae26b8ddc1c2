import ArgumentParser
import BrokerAPI
import BrokerClient
import FlowModel
import OAuth
import Terminal

/// Shows a client, and example code that uses it with common libraries.
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
        let usable = policies.filter(\.available)
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
        if shared.json { return try Output.json(found.json) }
        for line in ClientRecipe(found, issuer: chosen.issuer).lines { try Output.line(line) }
    }
}

/// Example code and configuration for using a client with common libraries.
struct ClientRecipe {
    private let client: ClientSummary
    private let issuer: String

    /// Creates the examples for a client and the issuer of one policy.
    init(_ client: ClientSummary, issuer: String) {
        self.client = client
        self.issuer = issuer
    }

    var lines: [String] { facts + [""] + msal + [""] + authlib + [""] + apache }

    private var isConfidential: Bool {
        switch client.type {
        case .public: false
        case .confidential: true
        }
    }

    private var metadata: String { "\(issuer)/.well-known/openid-configuration" }
    private var redirectURI: String { client.redirectURIs.first ?? "REDIRECT_URI" }

    private var facts: [String] {
        [
            "client        \(client.client)", "name          \(client.name)", "type          \(client.type.rawValue)",
            "redirect URIs \(client.redirectURIs.joined(separator: " "))",
            "scopes        \(client.scopes.isEmpty ? "all of its APIs" : client.scopes.joined(separator: " "))",
            "issuer        \(issuer)",
        ] + signOut + signing
    }

    private var signOut: [String] {
        let after = client.signOut.postLogoutRedirectURIs
        return (after.isEmpty ? [] : ["after sign-out \(after.joined(separator: " "))"])
            + (client.signOut.backchannelLogoutURI.map { ["logout URI    \($0)"] } ?? [])
    }

    /// The lines that configure the signing algorithms.
    ///
    /// The array is empty for the default algorithms.
    private var signing: [String] {
        guard client.signing != TokenSigning() else { return [] }
        return [
            "ID tokens     \(client.signing.idToken.rawValue)", "access tokens \(client.signing.accessToken.rawValue)",
        ]
    }

    /// The MSAL example.
    ///
    /// MSAL requires https, and the authority URL without the version at the end.
    private var msal: [String] {
        let authority = issuer.hasSuffix("/v2.0") ? String(issuer.dropLast("/v2.0".count)) : issuer
        let kind = isConfidential ? "ConfidentialClientApplication" : "PublicClientApplication"
        let secret = isConfidential ? ", client_credential=\"SECRET\"" : ""
        return [
            "# MSAL for Python", "app = msal.\(kind)(\"\(client.client)\", authority=\"\(authority)\"\(secret))",
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
