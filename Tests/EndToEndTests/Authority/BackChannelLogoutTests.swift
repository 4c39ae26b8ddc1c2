import AsyncHTTPClient
import Foundation
import HTTPServer
import LocalIssuer
import NIOCore
import NIOHTTP1
import OAuth
import TestSupport
import Testing

/// Tests that a client is notified after a sign-out (OpenID Connect Back-Channel Logout).
@Suite(.timeLimit(.minutes(5)))
struct BackChannelLogoutTests {
    private static let policy = "b2c_1_sign_in"
    private static let redirectURI = "https://app.example/cb"

    @Test("a user who signs out in a browser is signed out at the client, which gets one logout token") func told()
        async throws
    {
        let client = try RecordingAPI()
        let claims = try await signInAndOut(toldAt: "\(client.base)/bye/?from=broker") {
            try !client.requests().isEmpty
        }
        let told = try client.requests()
        #expect(told.map(\.method) == ["POST"] && told.map(\.path) == ["/bye/?from=broker"])
        let form = try Form(try #require(told.first).body)
        #expect(told.first?.headers["content-type"]?.hasPrefix("application/x-www-form-urlencoded") == true)
        let token = try self.claims(of: try #require(form["logout_token"]))
        #expect(token["aud"] == "web" && token["iss"] == claims["iss"] && token["nonce"] == nil)
        #expect(token["sub"] == claims["sub"] && token["sid"] == claims["sid"])
        #expect(token["events"]?["http://schemas.openid.net/event/backchannel-logout"] != nil)
    }

    @Test("a logout token reaches the client through the configured proxy, with the configured authority")
    func tunnel() async throws {
        let folder = try TemporaryFolder()
        let files = try LocalCertificate.writePartner(to: folder)
        let socket = try ListeningSocket(.tcp(host: "127.0.0.1", port: 0))
        let port = try #require(socket.port)
        // The client's host name cannot be resolved, and its certificate is trusted only because of `caFile`.
        let client = try LocalProvider(issuer: "https://login.partner.example:\(port)")
        let proxy = try ConnectProxy(to: port)
        defer { proxy.stop() }
        let tls = TLSFiles(certificate: files.certificate, privateKeyFile: files.privateKey)
        try await client.serve(socket, tls: tls) {
            let way = "outgoing: {proxy: \"http://127.0.0.1:\(proxy.port)\", caFile: \"\(files.certificate)\"}"
            _ = try await signInAndOut(toldAt: "\(client.issuer)/bye", way) { client.requests(at: "/bye") > 0 }
        }
        #expect(proxy.requests == ["CONNECT login.partner.example:\(port) HTTP/1.1"])
    }

    /// Signs a user in at a client, signs the user out in the browser, and waits until `isTold` returns `true`.
    ///
    /// - Returns: The claims of the ID token.
    private func signInAndOut(
        toldAt uri: String,
        _ lines: String...,
        isTold: @Sendable () throws -> Bool
    ) async throws -> JSONValue {
        let machine = try Machine()
        // The daemon stores browser sessions only with https. This test acts as the proxy that terminates TLS.
        try machine.write(
            [
                "issuerBase: https://localhost:\(machine.port)", "behindProxy: true",
                "listen: [\"127.0.0.1:\(machine.port)\"]", "log: {level: debug, format: text}", "clients:",
                "  web: {type: public, firstParty: true, apis: [tasks], redirectURIs: [\"\(Self.redirectURI)\"], "
                    + "backchannelLogoutURI: \"\(uri)\"}",
            ] + lines,
            to: "etc/tokenbrokerd.yaml"
        )
        let daemon = try machine.startBroker()
        let person = Person.random()
        try person.signUp(try machine.connect(), on: machine)
        var browser = WebBrowser()
        let page = try await browser.open(address(machine, "authorize") + "?" + Form.encoded(request))
        let answer = try await browser.submit(page, ["username": person.email, "password": person.password])
        let claims = try claims(of: try await idToken(answer, machine))
        #expect(claims["sid"]?.string != nil)
        let question = try await browser.open(address(machine, "logout"))
        #expect(try !isTold())
        #expect(try await browser.submit(question, ["_decision": "allow"]).status == 200)
        try await waitUntil("the client is notified", isTold)
        daemon.signal(SIGTERM)
        #expect(daemon.wait() == 0, "\(daemon.errors())")
        return claims
    }

    private var request: [(name: String, value: String)] {
        [
            ("client_id", "web"), ("response_type", "code"), ("redirect_uri", Self.redirectURI),
            ("scope", "openid tasks.read"), ("code_challenge_method", "S256"),
            ("code_challenge", "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"),
        ]
    }

    private func address(_ machine: Machine, _ endpoint: String) -> String {
        "\(machine.base)/local/\(Self.policy)/oauth2/v2.0/\(endpoint)"
    }

    private func claims(of token: String) throws -> JSONValue {
        let parts = token.split(separator: ".").map(String.init)
        try #require(parts.count == 3)
        return try StrictJSON.parse(try #require(Base64URL.decode(parts[1])))
    }

    /// Redeems the code with which a page redirects to the client, and returns the ID token.
    private func idToken(_ page: WebBrowser.Page, _ machine: Machine) async throws -> String {
        let location = try destination(of: page)
        let code = try #require(try Form(String(location.drop { $0 != "?" }.dropFirst()))["code"], "\(location)")
        var request = HTTPClientRequest(url: address(machine, "token"))
        request.method = .POST
        request.headers.add(name: "Content-Type", value: "application/x-www-form-urlencoded")
        let form: [(name: String, value: String)] = [
            ("grant_type", "authorization_code"), ("client_id", "web"), ("code", code),
            ("redirect_uri", Self.redirectURI), ("code_verifier", "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"),
        ]
        request.body = .bytes(ByteBuffer(string: Form.encoded(form)))
        let response = try await HTTPClient.forTests.execute(request, timeout: .seconds(30))
        let answer = try StrictJSON.parse(Array(try await response.body.collect(upTo: 65_536).readableBytesView))
        return try #require(answer["id_token"]?.string, "\(answer)")
    }
}
