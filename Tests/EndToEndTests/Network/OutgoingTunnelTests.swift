import Foundation
import HTTPServer
import LocalIssuer
import NIOHTTP1
import OAuth
import TestSupport
import Testing

/// Tests of the setting `outgoing` with complete sign-ins.
///
/// The servers' names cannot be resolved, so the servers can be reached only through the proxy's tunnel.
@Suite(.timeLimit(.minutes(5)))
struct OutgoingTunnelTests {
    private static let host = "login.partner.example"

    /// Returns the line of `tokenbrokerd.yaml` that configures the proxy and the trusted certificate.
    private func way(_ proxy: ConnectProxy, _ certificate: String) -> String {
        "outgoing: {proxy: \"http://127.0.0.1:\(proxy.port)\", caFile: \"\(certificate)\"}"
    }

    /// Runs `test` with an external provider, a proxy in front of the provider, and the configuration line for the
    /// proxy.
    private func withProvider(
        _ test: (LocalProvider, ConnectProxy, _ way: String) async throws -> Void
    ) async throws {
        let folder = try TemporaryFolder()
        let files = try LocalCertificate.writePartner(to: folder)
        let socket = try ListeningSocket(.tcp(host: "127.0.0.1", port: 0))
        let port = try #require(socket.port)
        let provider = try LocalProvider(issuer: "https://\(Self.host):\(port)")
        let proxy = try ConnectProxy(to: port)
        defer { proxy.stop() }
        let tls = TLSFiles(certificate: files.certificate, privateKeyFile: files.privateKey)
        try await provider.serve(socket, tls: tls) { try await test(provider, proxy, way(proxy, files.certificate)) }
        #expect(Set(proxy.requests) == ["CONNECT \(Self.host):\(port) HTTP/1.1"])
    }

    private func stop(_ daemon: RunningProgram) {
        daemon.signal(SIGTERM)
        #expect(daemon.wait() == 0, "\(daemon.errors())")
    }

    @Test("an external authority's code is redeemed and its token renewed and revoked through the tunnel")
    func authority() async throws {
        try await withProvider { provider, _, way in
            let entry = "url: \"\(provider.issuer)\", clientId: \(provider.clientID), clientSecretFile: contoso.secret"
            let machine = try Machine(configuration: ["authorities:", "  contoso: {\(entry)}", way])
            try machine.writeSecret(provider.secret, to: "etc/contoso.secret")
            let daemon = try machine.startBroker()
            let connection = try machine.connect()
            let asked: JSONValue = ["policy": "contoso", "scopes": ["files.read"]]
            let flow = try #require(try connection.call("token.acquire", asked)["flow"])
            var browser = WebBrowser()
            let leaving = try await browser.open(try #require(flow["browser"]?["url"]?.string))
            _ = try await browser.open(try provider.wayBack(from: try destination(of: leaving)))
            let ended = try connection.call("flow.get", ["flow": flow["id"] ?? .null])["flow"]
            #expect(ended?["state"] == "succeeded", "\(ended ?? .null)")
            let token = try connection.call("token.acquire", OutsideScene.silent())["token"]
            #expect(token?["accessToken"] == "access-1" && provider.redemptions == 1, "\(token ?? .null)")
            let renewed = try connection.call("token.acquire", OutsideScene.silent(["forceRefresh": true]))["token"]
            #expect(renewed?["fromCache"] == false && provider.renewals == 1, "\(renewed ?? .null)")
            let removed = try connection.call("session.signOut", ["all": true])
            #expect(removed["left"] == [] && provider.revoked.count == 1, "\(removed)")
            for path in ["/.well-known/openid-configuration", "/token", "/keys", "/revoke"] {
                #expect(provider.requests(at: path) > 0, "\(path)")
            }
            stop(daemon)
        }
    }

    @Test("an identity provider's code is redeemed and its userinfo read through the tunnel") func provider()
        async throws
    {
        try await withProvider { provider, _, way in
            provider.answerUserinfo(["sub": "person-1", "name": "Ada Beyond"])
            let scene = ProviderScene()
            let machine = try scene.machine(
                issuer: provider.issuer,
                client: provider.clientID,
                secret: provider.secret,
                configuration: [way]
            )
            let daemon = try machine.startBroker()
            var browser = WebBrowser()
            let there = try destination(of: try await browser.open(scene.request(machine)))
            let page = try await browser.open(try provider.wayBack(from: there))
            let claims = try await scene.claims(page, machine)
            #expect(claims["idp"] == "partner" && claims["name"] == "Ada Beyond", "\(claims)")
            #expect(provider.redemptions == 1)
            stop(daemon)
        }
    }

    @Test("an API connector is called through the tunnel") func connector() throws {
        let folder = try TemporaryFolder()
        let files = try LocalCertificate.writePartner(to: folder)
        let connector = try APIConnector(
            ["--certificate", files.certificate, "--key", files.privateKey],
            scheme: "https"
        )
        defer { connector.end() }
        let proxy = try ConnectProxy(to: connector.port)
        defer { proxy.stop() }
        let machine = try Machine.connected(
            "beforeToken: \(connector.keys(host: Self.host))",
            configuration: [way(proxy, files.certificate)]
        )
        let daemon = try machine.startBroker()
        let done = try Person.random().signUpConnected(try machine.connect(), on: machine, name: "Ann")
        #expect(done["token"]?["claims"]?["level"] == "gold", "\(done)")
        #expect(Set(proxy.requests) == ["CONNECT \(Self.host):\(connector.port) HTTP/1.1"])
        stop(daemon)
    }
}
