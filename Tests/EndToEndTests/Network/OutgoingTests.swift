import Foundation
import HTTPServer
import LocalIssuer
import NIOHTTP1
import OAuth
import TestSupport
import Testing

/// End-to-end tests of the setting `outgoing` for requests to external authorities.
@Suite(.timeLimit(.minutes(5)))
struct OutgoingTests {
    /// Opens the sign-in link for an external authority, and returns the page.
    private func opened(_ machine: Machine) async throws -> WebBrowser.Page {
        let started = try machine.connect().call("token.acquire", ["policy": "contoso", "scopes": ["tasks.read"]])
        var browser = WebBrowser()
        return try await browser.open(try #require(started["flow"]?["browser"]?["url"]?.string, "\(started)"))
    }

    private func authority(_ url: String) -> [String] {
        ["authorities:", "  contoso: {kind: oidc, url: \"\(url)\", clientId: ours, scopes: [tasks.read]}"]
    }

    @Test("a private CA is trusted only if `caFile` contains it")
    func certificates() async throws {
        let outside = try Machine()
        let base = "https://localhost:\(outside.port)"
        let files = try LocalCertificate.write(to: outside.folder)
        try outside.write(
            [
                "tenant: outside", "issuerBase: \(base)", "listen: [\"127.0.0.1:\(outside.port)\"]",
                "tls: {certificate: \"\(files.certificate)\", privateKeyFile: \"\(files.privateKey)\"}",
                "log: {level: info, format: text}",
                "clients: {ours: {type: public, apis: [tasks], redirectURIs: [\"http://localhost/cb\"]}}",
            ],
            to: "etc/tokenbrokerd.yaml"
        )
        let provider = try outside.startBroker()
        let url = "\(base)/outside/b2c_1_sign_in/v2.0"
        for (lines, isBelieved) in [([], false), (["outgoing: {caFile: \"\(files.certificate)\"}"], true)] {
            let machine = try Machine(configuration: authority(url) + lines)
            let daemon = try machine.startBroker()
            let page = try await opened(machine)
            let place = page.headers.first(name: "Refresh")?.contains(base)
            #expect((place == true) == isBelieved && (page.status < 400) == isBelieved, "\(page.status) \(page.text)")
            daemon.signal(SIGTERM)
            #expect(daemon.wait() == 0)
            let cause = "This machine does not trust the issuer of the certificate of localhost: CN=localhost."
            let lines = daemon.errors().split(separator: "\n").filter { $0.contains(cause) }
            #expect(lines.isEmpty == isBelieved)
            #expect(lines.allSatisfy { $0.contains("warning") && $0.contains("correlationId") }, "\(lines)")
            // The page repeats the cause for the user, and nothing names a source file.
            #expect(page.text.contains("does not trust the issuer") == !isBelieved, "\(page.text)")
            #expect(!daemon.errors().contains(".cc:") && !daemon.errors().contains("OPENSSL_internal"))
        }
        provider.signal(SIGTERM)
        #expect(provider.wait() == 0)
    }

    @Test("other hosts are reached only through the proxy, and this machine only without it")
    func proxy() async throws {
        let proxy = try ConnectProxy()
        defer { proxy.stop() }
        let way = "outgoing: {proxy: \"http://127.0.0.1:\(proxy.port)\"}"
        let far = try Machine(configuration: authority("https://login.partner.example") + [way])
        var daemon = try far.startBroker()
        #expect(try await opened(far).status >= 400)
        #expect(Set(proxy.requests) == ["CONNECT login.partner.example:443 HTTP/1.1"])
        daemon.signal(SIGTERM)
        #expect(daemon.wait() == 0)

        let outside = try Machine(configuration: ["tenant: outside"])
        let provider = try outside.startBroker()
        let asked = proxy.requests.count
        let near = try Machine(configuration: authority("\(outside.base)/outside/b2c_1_sign_in/v2.0") + [way])
        daemon = try near.startBroker()
        #expect(try await opened(near).status < 400)
        #expect(proxy.requests.count == asked)
        for program in [daemon, provider] {
            program.signal(SIGTERM)
            #expect(program.wait() == 0)
        }
    }

    @Test("another host answers through the tunnel of a proxy with a password, by its own TLS, which `caFile` verifies")
    func tunnel() async throws {
        let outside = try Machine()
        let host = "login.partner.example:\(outside.port)"
        let base = "https://\(host)"
        let files = try LocalCertificate.writePartner(to: outside.folder)
        try outside.write(
            [
                "tenant: outside", "issuerBase: \(base)", "listen: [\"127.0.0.1:\(outside.port)\"]",
                "tls: {certificate: \"\(files.certificate)\", privateKeyFile: \"\(files.privateKey)\"}",
                "log: {level: info, format: text}",
                "clients: {ours: {type: public, apis: [tasks], redirectURIs: [\"http://localhost/cb\"]}}",
            ],
            to: "etc/tokenbrokerd.yaml"
        )
        let proxy = try ConnectProxy(to: outside.port, requiring: "user:Planted-pass")
        defer { proxy.stop() }
        let provider = try outside.startBroker()
        let way = "proxy: \"http://127.0.0.1:\(proxy.port)\""
        let credentials = ", proxyUsername: user, proxyPasswordFile: proxy.password"
        let trusted = ", caFile: \"\(files.certificate)\""
        for (more, isBelieved) in [(credentials + trusted, true), (credentials, false), (trusted, false)] {
            let url = "\(base)/outside/b2c_1_sign_in/v2.0"
            let machine = try Machine(configuration: authority(url) + ["outgoing: {\(way)\(more)}"])
            try machine.writeSecret("Planted-pass", to: "etc/proxy.password")
            let daemon = try machine.startBroker()
            let page = try await opened(machine)
            // The address to which the page leads comes from the metadata that arrived through the tunnel.
            let authorize = "\(base)/outside/b2c_1_sign_in/oauth2/v2.0/authorize?"
            let isThere = page.headers.first(name: "Refresh")?.contains(authorize) == true
            #expect(isThere == isBelieved && (page.status < 400) == isBelieved, "\(page.status) \(page.text)")
            daemon.signal(SIGTERM)
            #expect(daemon.wait() == 0, "\(daemon.errors())")
        }
        #expect(Set(proxy.requests) == ["CONNECT \(host) HTTP/1.1"])
        provider.signal(SIGTERM)
        #expect(provider.wait() == 0)
    }

    @Test("a proxy that requires authentication is named to the user, in the log and by doctor")
    func authentication() async throws {
        let proxy = try ConnectProxy(refusing: 407)
        defer { proxy.stop() }
        let address = "proxy: \"http://127.0.0.1:\(proxy.port)\""
        let machine = try Machine(configuration: authority("https://login.partner.example"))
        let lines = try String(contentsOfFile: machine.configuration, encoding: .utf8)
        try machine.writeSecret("Planted-pass", to: "etc/proxy.password")
        for (credentials, sentence) in [
            ("", "The proxy requires authentication (407)."),
            (", proxyUsername: user, proxyPasswordFile: proxy.password", "The proxy rejects the user name or the"),
        ] {
            try machine.write([lines, "outgoing: {\(address)\(credentials)}"], to: "etc/tokenbrokerd.yaml")
            let daemon = try machine.startBroker()
            let page = try await opened(machine)
            #expect(page.status >= 400 && page.text.contains(sentence), "\(page.text)")
            let added: JSONValue = ["name": "added", "url": "https://other.partner.example", "clientId": "c"]
            let refused = try machine.connect().refusal("authority.add", added)
            #expect(refused.code == 1014 && refused.message.contains(sentence), "\(refused)")
            let id = try #require(refused.data["correlationId"]?.string)
            let doctor = try machine.tokenbroker(["doctor", "--config", machine.configuration])
            let problem = "problem: The provider contoso cannot be used: \(sentence)"
            #expect(doctor.output.contains(problem), "\(doctor.output)")
            daemon.signal(SIGTERM)
            #expect(daemon.wait() == 0)
            let log = daemon.errors().split(separator: "\n")
            #expect(log.contains { $0.contains(id) && $0.contains("warning") && $0.contains(sentence) }, "\(log)")
            #expect(daemon.errors().contains(sentence) && !daemon.errors().contains("Planted"), "\(daemon.errors())")
        }
    }

    @Test("doctor reports a provider whose clock differs, and metadata of another issuer")
    func metadata() async throws {
        let socket = try ListeningSocket(.tcp(host: "127.0.0.1", port: 0))
        let provider = try LocalProvider(issuer: "http://\(socket.address)")
        let machine = try Machine(configuration: authority(provider.issuer))
        try await provider.serve(socket) {
            func doctor() throws -> String {
                try machine.tokenbroker(["doctor", "--config", machine.configuration]).output
            }
            let right = try doctor()
            #expect(right.contains("ok: The provider contoso responds with valid metadata."), "\(right)")
            provider.run(ahead: 90)
            let clock = try doctor()
            let difference = /problem: The clock of this machine differs from the clock of contoso by (89|90|91) s\./
            #expect(clock.contains(difference) && !clock.contains("contoso responds"), "\(clock)")
            provider.tell(.metadataIssuer)
            let foreign = try doctor()
            let sentence = "The metadata at \(provider.issuer) is for another issuer."
            #expect(foreign.contains("problem: The provider contoso cannot be used: \(sentence)"), "\(foreign)")
        }
    }

    @Test("an SSL_CERT_FILE without certificates is named to the user, in the log and by doctor")
    func authorityFile() async throws {
        let folder = try TemporaryFolder()
        let (empty, missing) = (folder.path("empty.pem"), folder.path("missing.pem"))
        try Data("no certificate\n".utf8).write(to: URL(fileURLWithPath: empty))
        for file in [empty, missing] {
            let machine = try Machine(
                configuration: authority("https://localhost:\(freePort())"),
                environment: ["SSL_CERT_FILE": file]
            )
            let daemon = try machine.startBroker()
            let sentence = "SSL_CERT_FILE names \(file), which contains no readable certificates."
            let page = try await opened(machine)
            #expect(page.status >= 400 && page.text.contains(sentence), "\(page.text)")
            let doctor = try machine.tokenbroker(["doctor", "--config", machine.configuration])
            #expect(doctor.output.contains("The provider contoso cannot be used: \(sentence)"), "\(doctor.output)")
            daemon.signal(SIGTERM)
            #expect(daemon.wait() == 0)
            let lines = daemon.errors().split(separator: "\n").filter { $0.contains(sentence) }
            #expect(lines.contains { $0.contains("warning") && $0.contains("correlationId") }, "\(daemon.errors())")
        }
    }

    @Test("proxy variables of the environment are not read, which one notice and doctor report")
    func variables() async throws {
        let proxy = try ConnectProxy()
        defer { proxy.stop() }
        let machine = try Machine(
            configuration: authority("https://\(String(repeating: "a", count: 64)).example"),
            environment: ["HTTPS_PROXY": "http://user:Planted@127.0.0.1:\(proxy.port)"]
        )
        let daemon = try machine.startBroker()
        let page = try await opened(machine)
        #expect(page.text.contains("cannot be resolved") && proxy.requests == [], "\(page.text)")
        let doctor = try machine.tokenbroker(["doctor", "--config", machine.configuration])
        let note = "note: The environment has proxy variables, which are not read: HTTPS_PROXY"
        #expect(doctor.output.contains(note), "\(doctor.output)")
        daemon.signal(SIGTERM)
        #expect(daemon.wait() == 0)
        let notices = daemon.errors().split(separator: "\n").filter { $0.contains("are not read") }
        #expect(notices.count == 1 && notices.first?.contains("HTTPS_PROXY") == true, "\(notices)")
        #expect(!(daemon.errors() + doctor.output).contains("Planted"))
    }

    @Test("a CA file without a certificate is refused") func refused() throws {
        let machine = try Machine()
        try machine.write(["-----BEGIN CERTIFICATE-----", "no certificate"], to: "etc/ca.pem")
        let lines = try String(contentsOfFile: machine.configuration, encoding: .utf8)
        try machine.write([lines, "outgoing: {caFile: ca.pem}"], to: "etc/tokenbrokerd.yaml")
        let outcome = try machine.runBroker()
        #expect(outcome.status == 78)
        #expect(
            outcome.errors.contains(
                "`outgoing.caFile`: \(machine.folder.path("etc/ca.pem")) contains no readable certificates"
            )
        )
    }
}
