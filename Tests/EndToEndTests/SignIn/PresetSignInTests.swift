import Foundation
import HTTPServer
import LocalIssuer
import NIOHTTP1
import OAuth
import TestSupport
import Testing

/// Tests a sign-in with each `preset:`, with the built daemon and the preset's own endpoints.
///
/// A proxy sends the connections for all hosts to a provider in this process. This provider deviates from the
/// specifications in the ways that the real provider documents.
@Suite(.timeLimit(.minutes(5)))
struct PresetSignInTests {
    private static let tenant = "3f2504e0-4f89-41d3-9a0c-0305e82c3301"
    private static let consumers = "9188040d-6c67-4c5b-b112-36a304b66dad"

    struct Preset: Sendable, CustomTestStringConvertible {
        let name: String
        let issuer: String
        /// The beginning of the provider's address to which the browser is redirected.
        let page: String
        /// The hosts that the daemon calls during a sign-in.
        let hosts: Set<String>
        var ways = LocalProvider.Ways()
        /// The claims of the provider's ID tokens.
        var claims: [String: JSONValue] = [:]
        /// The userinfo response, or `nil` for a response that contains only the subject.
        var userinfo: JSONValue?
        /// The `response_mode` that the daemon requests, or `nil` for the default `query`.
        var responseMode: String?
        /// Whether the daemon sends the client secret in the body of the token request, not in a header field.
        var provesInForm = true
        /// The expected name and e-mail address of the created account.
        let person: (name: String?, email: String?)
        /// The host that confirms for which client an access token was issued, or `nil` if no host confirms it.
        var confirms: String?

        var testDescription: String { name }
        var isOfEntra: Bool { issuer.hasPrefix("https://login.microsoftonline.com/") }
    }

    private static let every: [Preset] = [
        Preset(
            name: "google",
            issuer: "https://accounts.google.com",
            page: "https://accounts.google.com/authorize?",
            hosts: ["accounts.google.com"],
            ways: LocalProvider.Ways(authMethods: ["client_secret_post", "client_secret_basic"]),
            claims: ["name": "Ada", "email": "ada@gmail.example", "email_verified": true],
            provesInForm: false,
            person: ("Ada", "ada@gmail.example"),
            confirms: "oauth2.googleapis.com"
        ),
        entra("microsoftaccount", consumers), entra("aad", tenant),
        Preset(
            name: "facebook",
            issuer: "https://www.facebook.com",
            page: "https://www.facebook.com/v19.0/dialog/oauth?",
            hosts: ["graph.facebook.com"],
            ways: LocalProvider.Ways(
                paths: [
                    "/v19.0/oauth/access_token": "/token", "/v19.0/me": "/userinfo",
                    "/v19.0/debug_token": "/debug_token",
                ],
                isOpenID: false
            ),
            userinfo: ["id": "17", "name": "Ada L", "first_name": "Ada", "last_name": "L", "email": "ada@x.example"],
            person: ("Ada L", nil),
            confirms: "graph.facebook.com"
        ),
        Preset(
            name: "github",
            issuer: "https://github.com",
            page: "https://github.com/login/oauth/authorize?",
            hosts: ["github.com", "api.github.com"],
            ways: LocalProvider.Ways(
                paths: ["/login/oauth/access_token": "/token", "/user": "/userinfo"],
                isOpenID: false,
                answersInForms: true
            ),
            userinfo: ["id": 17, "login": "ada", "name": nil, "email": "ada@x.example"],
            person: ("ada", nil),
            confirms: "api.github.com"
        ),
        Preset(
            name: "twitter",
            issuer: "https://twitter.com",
            page: "https://twitter.com/i/oauth2/authorize?",
            hosts: ["api.twitter.com"],
            ways: LocalProvider.Ways(
                paths: ["/2/oauth2/token": "/token", "/2/users/me": "/userinfo"],
                isOpenID: false
            ),
            userinfo: ["data": ["id": "17", "name": "Ada X", "username": "ada"]],
            provesInForm: false,
            person: ("Ada X", nil)
        ),
        Preset(
            name: "apple",
            issuer: "https://appleid.apple.com",
            page: "https://appleid.apple.com/authorize?",
            hosts: ["appleid.apple.com"],
            ways: LocalProvider.Ways(authMethods: ["client_secret_post"]),
            claims: ["email": "ada@relay.example", "email_verified": "true"],
            responseMode: "form_post",
            person: (nil, "ada@relay.example")
        ),
    ]

    private static func entra(_ name: String, _ tenant: String) -> Preset {
        Preset(
            name: name,
            issuer: "https://login.microsoftonline.com/\(tenant)/v2.0",
            page: "https://login.microsoftonline.com/\(tenant)/v2.0/authorize?",
            hosts: ["login.microsoftonline.com"],
            ways: LocalProvider.Ways(authMethods: ["client_secret_post", "private_key_jwt"]),
            claims: ["tid": .string(tenant), "name": "Ada", "email": "ada@x.example", "email_verified": true],
            person: ("Ada", nil)
        )
    }

    /// Runs `test` with a provider, a proxy in front of the provider, and a daemon that uses the preset.
    private func with(
        _ preset: Preset,
        _ test: (LocalProvider, ConnectProxy, Machine) async throws -> Void
    ) async throws {
        let folder = try TemporaryFolder()
        let files = try LocalCertificate.writePresets(to: folder)
        let socket = try ListeningSocket(.tcp(host: "127.0.0.1", port: 0))
        let port = try #require(socket.port)
        let proxy = try ConnectProxy(to: port)
        defer { proxy.stop() }
        let provider = try LocalProvider(issuer: preset.issuer)
        provider.take(preset.ways)
        provider.person("17", preset.claims)
        provider.answerUserinfo(preset.userinfo)
        let more = preset.name == "aad" ? ", tenant: \(Self.tenant)" : ""
        let machine = try Machine(configuration: [
            "identityProviders:",
            "  partner: {preset: \(preset.name), clientId: \(provider.clientID), clientSecretFile: partner.secret\(more)}",
            "outgoing: {proxy: \"http://127.0.0.1:\(proxy.port)\", caFile: \"\(files.certificate)\"}",
        ])
        try machine.writeSecret(provider.secret, to: "etc/partner.secret")
        let lines = ["kind: social", "identityProviders: [partner]"] + ProviderScene().common
        try machine.write(lines, to: "etc/policies/b2c_1_partner.yaml")
        let tls = TLSFiles(certificate: files.certificate, privateKeyFile: files.privateKey)
        try await provider.serve(socket, tls: tls) {
            let daemon = try machine.startBroker()
            try await test(provider, proxy, machine)
            daemon.signal(SIGTERM)
            #expect(daemon.wait() == 0, "\(daemon.errors())")
        }
    }

    /// Signs in with a new browser, and returns the final page.
    private func signIn(_ preset: Preset, _ provider: LocalProvider, _ machine: Machine) async throws -> WebBrowser.Page
    {
        var browser = WebBrowser()
        let there = try destination(of: try await browser.open(ProviderScene().request(machine)))
        #expect(there.hasPrefix(preset.page), "\(there)")
        let asked = try Form(String(there.drop { $0 != "?" }.dropFirst()))
        #expect(asked["redirect_uri"] == "\(machine.base)/local/oauth2/authresp")
        #expect(asked["response_mode"] == preset.responseMode)
        guard preset.responseMode == "form_post" else {
            return try await browser.open(try provider.wayBack(from: there))
        }
        let path = try await WebBrowser.posted(
            try provider.answer(to: there),
            to: "\(machine.base)/local/oauth2/authresp"
        )
        return try await browser.open(machine.base + path)
    }

    @Test("each preset signs a user in at its own endpoints, with the claims of its provider", arguments: every)
    func presets(_ preset: Preset) async throws {
        try await with(preset) { provider, proxy, machine in
            let claims = try await ProviderScene().claims(try await signIn(preset, provider, machine), machine)
            #expect(claims["idp"] == "partner" && claims["amr"] == ["fed"], "\(claims)")
            #expect(claims["name"]?.string == preset.person.name, "\(claims)")
            #expect(claims["email"]?.string == preset.person.email, "\(claims)")
            let request = try #require(provider.redemptionRequests.last)
            let isInForm = request.form["client_secret"] == provider.secret && request.authorization == nil
            #expect(isInForm == preset.provesInForm)
            #expect(isInForm || request.form["client_secret"] == nil)
            #expect(Set(proxy.requests) == Set(preset.hosts.map { "CONNECT \($0):443 HTTP/1.1" }))
            guard !preset.ways.isOpenID || preset.confirms != nil else { return }

            // Another app's access token is accepted only if the provider confirms for which client it was issued.
            let asked: JSONValue = [
                "scopes": ["tasks.read"], "policy": "b2c_1_partner", "provider": "partner",
                "providerToken": ["access_token": "access-1"],
            ]
            let connection = try machine.connect()
            guard let host = preset.confirms else {
                #expect(try connection.refusal("token.acquire", asked).code == 1012)
                return
            }
            let token = try connection.call("token.acquire", asked)["token"]
            #expect(token?["claims"]?["oid"] == claims["oid"], "\(token ?? .null)")
            #expect(proxy.requests.contains("CONNECT \(host):443 HTTP/1.1"))
        }
    }

    @Test("a token of another Microsoft tenant does not sign in", arguments: every.filter(\.isOfEntra))
    func tenants(_ preset: Preset) async throws {
        try await with(preset) { provider, _, machine in
            let other = preset.name == "aad" ? Self.consumers : Self.tenant
            provider.person("17", preset.claims.merging(["tid": .string(other)]) { $1 })
            let page = try await signIn(preset, provider, machine)
            #expect(page.status == 502 && page.text.contains("provider_failed"), "\(page.status) \(page.text)")
        }
    }
}
