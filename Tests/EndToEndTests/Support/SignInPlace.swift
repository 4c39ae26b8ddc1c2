import AsyncHTTPClient
import Foundation
import HTTPServer
import LocalIssuer
import NIOCore
import NIOHTTP1
import OAuth
import TestSupport
import Testing

/// Both built daemons and an external provider, for sign-ins at the API's login endpoints.
struct SignInPlace {
    static let secret = "p1aRtner-secret-of-many-different-signs"
    static let exchange = "urn:ietf:params:oauth:grant-type:token-exchange"
    static let idToken = "urn:ietf:params:oauth:token-type:id_token"
    static let accessToken = "urn:ietf:params:oauth:token-type:access_token"

    /// The configuration that a test can change.
    struct Terms {
        /// The name of the provider in the policy.
        var provider = "partner"
        /// The API's client registration at the authority.
        var client =
            "type: confidential, secretFile: api.secret, grants: [authorization_code, token_exchange]"
        /// The lines of `tasksd.yaml` that configure sign-ins.
        var signIn = ["signIn: {client: api, secretFile: api.secret, origins: []}"]
    }

    let provider: LocalProvider
    let machine: Machine
    let broker: RunningProgram
    let tasks: RunningProgram

    var login: String { "\(machine.api)/.auth/login/partner?session_mode=token" }

    /// Runs `test` with a provider in this process and new daemons.
    static func with(_ terms: Terms = Terms(), _ test: (SignInPlace) async throws -> Void) async throws {
        let socket = try ListeningSocket(.tcp(host: "127.0.0.1", port: 0))
        let provider = try LocalProvider(issuer: "http://\(socket.address)")
        let machine = try Machine(configuration: [
            "identityProviders:",
            "  \(terms.provider): {kind: oidc, displayName: Partner, issuer: \"\(provider.issuer)\", "
                + "clientId: \(provider.clientID), clientSecretFile: partner.secret}",
            "clients:",
            "  api: {\(terms.client), firstParty: true, apis: [tasks], "
                + "redirectURIs: [\"http://localhost/.auth/login/callback\"]}",
            "  other: {type: confidential, firstParty: true, secretFile: api.secret, apis: [tasks], "
                + "grants: [client_credentials]}",
        ])
        try machine.writeSecret(provider.secret, to: "etc/partner.secret")
        try machine.writeSecret(secret, to: "etc/api.secret")
        try machine.write(
            [
                "kind: social", "identityProviders: [\(terms.provider)]",
                "claims: [oid, displayName, identityProvider]",
                "scopes: {tasks.read: [], tasks.write: [], accessRestricted: [PinCodeAttempts]}",
            ],
            to: "etc/policies/b2c_1_partner.yaml"
        )
        let tasksd = try String(contentsOfFile: machine.folder.path("etc/tasksd.yaml"), encoding: .utf8)
        try machine.write([tasksd, "cors: [\"https://app.example\"]"] + terms.signIn, to: "etc/tasksd.yaml")
        try await provider.serve(socket) {
            let broker = try machine.startBroker()
            let tasks = try machine.startTasks()
            try await test(SignInPlace(provider: provider, machine: machine, broker: broker, tasks: tasks))
            for daemon in [tasks, broker] {
                daemon.signal(SIGTERM)
                #expect(daemon.wait() == 0, "\(daemon.errors())")
                #expect(try !daemon.log().contains(secret) && !daemon.log().contains("access-1"))
            }
        }
    }

    /// Opens an address, signs in at the provider, and returns the API's address to which the authority redirects.
    func wayBack(from start: String, _ browser: inout WebBrowser) async throws -> String {
        let leaving = try await browser.open(start)
        let there = try destination(of: try await browser.open(try destination(of: leaving)))
        var theirs = WebBrowser()
        let back = try destination(of: try await theirs.open(there))
        return try destination(of: try await browser.open(back))
    }

    /// Exchanges a token at the authority's token endpoint, with these changes to the request.
    func exchange(_ changes: [String: String?], client: String = "api") async throws -> WebAnswer {
        var fields: [String: String] = [
            "grant_type": Self.exchange, "client_id": client, "scope": "openid tasks.read",
            "client_secret": Self.secret, "subject_token_type": Self.idToken,
        ]
        for (name, value) in changes { fields[name] = value }
        var request = HTTPClientRequest(url: "\(machine.base)/local/b2c_1_partner/oauth2/v2.0/token")
        request.method = .POST
        request.headers.add(name: "Content-Type", value: "application/x-www-form-urlencoded")
        request.body = .bytes(ByteBuffer(string: Form.encoded(fields.map { ($0.key, $0.value) })))
        let response = try await HTTPClient.forTests.execute(request, timeout: .seconds(30))
        let text = String(buffer: try await response.body.collect(upTo: 65_536))
        return WebAnswer(status: Int(response.status.code), headers: response.headers, text: text)
    }

    /// Returns the parameters in the fragment of an address.
    static func outcome(_ address: String) throws -> Form {
        try Form(String(address.drop { $0 != "#" }.dropFirst()))
    }

    /// Returns the token and the user's id from the JSON response to a client.
    static func token(_ json: JSONValue?) throws -> (token: String, user: String) {
        (
            try #require(json?["authenticationToken"]?.string, "\(json ?? .null)"),
            try #require(json?["user"]?["userId"]?.string)
        )
    }

    /// Returns the token and the user's id from the fragment of an address.
    static func token(in address: String) throws -> (token: String, user: String) {
        let text = try #require(try outcome(address)["token"], "\(address)")
        return try token(try StrictJSON.parse(Array(text.utf8)))
    }
}
