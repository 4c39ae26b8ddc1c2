import AsyncHTTPClient
import Foundation
import HTTPServer
import LocalIssuer
import NIOCore
import NIOHTTP1
import OAuth
import TestSupport
import Testing

/// A built daemon whose policies sign users in through an external provider.
///
/// The methods also guide a browser to the provider and back.
struct ProviderScene {
    static let secret = "p1aRtner-secret-of-many-different-signs"

    /// The kind of the provider `partner`.
    var kind = Kind.oidc

    /// The claim that identifies users of a provider without ID tokens.
    var subject = "sub"

    /// Whether the configuration trusts the provider's verified e-mail addresses, or `nil` to omit the key.
    var trustsEmail: Bool?

    /// The YAML lines that both policies contain.
    var common = ["claims: [oid, displayName, email, identityProvider]", "scopes: {tasks.read: []}"]

    /// The kinds of providers.
    ///
    /// A provider of the kind `oidc` publishes metadata. The configuration describes a provider of the kind `oauth2`.
    enum Kind {
        case oidc, oauth2

        func configuration(issuer: String, subject: String) -> String {
            switch self {
            case .oidc: "kind: oidc, issuer: \"\(issuer)\""
            case .oauth2:
                "kind: oauth2, issuer: \"\(issuer)\", authorizationEndpoint: \"\(issuer)/authorize\", "
                    + "tokenEndpoint: \"\(issuer)/token\", userinfoEndpoint: \"\(issuer)/userinfo\", "
                    + "claims: {subject: \(subject), displayName: profile.name}"
            }
        }
    }

    /// Returns a machine with two policies that sign users in with the provider at `issuer`.
    ///
    /// The policy `b2c_1_partner` offers only the provider, and `b2c_1_both` also accepts a password.
    func machine(
        issuer: String,
        client: String = "ours",
        secret: String = Self.secret,
        configuration lines: [String] = [],
        isService: Bool = false
    ) throws -> Machine {
        let machine = try Machine(
            configuration: lines + [
                "identityProviders:",
                "  partner: {\(kind.configuration(issuer: issuer, subject: subject)), displayName: Partner, clientId: \(client), "
                    + "clientSecretFile: partner.secret\(trustsEmail.map { ", trustsEmail: \($0)" } ?? "")}",
            ],
            isService: isService
        )
        try machine.writeSecret(secret, to: "etc/partner.secret")
        try machine.write(
            ["kind: social", "identityProviders: [partner]"] + common,
            to: "etc/policies/b2c_1_partner.yaml"
        )
        try machine.write(
            ["kind: sign-in", "identityProviders: [local, partner]"] + common,
            to: "etc/policies/b2c_1_both.yaml"
        )
        return machine
    }

    func request(_ machine: Machine, _ policy: String = "b2c_1_partner", hint: String = "") -> String {
        machine.authorizeAddress(policy, [("nonce", "n1")]) + hint
    }

    /// Redeems the authorization code in a page's redirect, and returns the claims of the ID token.
    func claims(
        _ page: WebBrowser.Page,
        _ machine: Machine,
        _ policy: String = "b2c_1_partner"
    ) async throws
        -> JSONValue
    {
        let json = try await machine.redeem(page, policy)
        let token = try #require(json["id_token"]?.string, "\(json)")
        let payload = try #require(Base64URL.decode(String(token.split(separator: ".")[1])))
        return try StrictJSON.parse(payload)
    }

    /// Runs `test` with a provider in this process and a daemon that uses the provider.
    ///
    /// `prepared` runs before the daemon starts.
    func withProvider(
        isService: Bool = false,
        prepared: (Machine) throws -> Void = { _ in },
        _ test: (LocalProvider, Machine) async throws -> Void
    ) async throws {
        let socket = try ListeningSocket(.tcp(host: "127.0.0.1", port: 0))
        let provider = try LocalProvider(issuer: "http://\(socket.address)")
        let machine = try machine(
            issuer: provider.issuer,
            client: provider.clientID,
            secret: provider.secret,
            isService: isService
        )
        try prepared(machine)
        try await provider.serve(socket) {
            let daemon = try machine.startBroker()
            try await test(provider, machine)
            daemon.signal(SIGTERM)
            #expect(daemon.wait() == 0, "\(daemon.errors())")
            #expect(try !daemon.log().contains("access-1"))
        }
    }

    /// Visits the provider's address, and returns the page to which the provider redirects the browser.
    func visit(_ address: String, _ browser: inout WebBrowser) async throws -> WebBrowser.Page {
        var stranger = WebBrowser()
        return try await browser.open(try destination(of: try await stranger.open(address)))
    }
}

extension Machine {
    /// Writes a secret into a file that only its owner can read.
    func writeSecret(_ secret: String, to name: String) throws {
        try write([secret], to: name)
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: folder.path(name))
    }
}
