import AsyncHTTPClient
import Foundation
import HTTPServer
import Hummingbird
import Logging
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL
import Storage
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(1)))
struct TLSTests {
    @Test("with certificate files TCP uses TLS, and a Unix socket stays plain") func files() async throws {
        let folder = try TemporaryFolder()
        let written = try LocalCertificate.write(to: folder)
        let files = TLSFiles(certificate: written.certificate, privateKeyFile: written.privateKey)
        let unix = ListenAddress.unix(path: folder.path("s.sock"), mode: 0o600)
        let addresses = [ListenAddress.tcp(host: "127.0.0.1", port: 0), unix]
        try await LiveServer.run(addresses, hosts: .any, tls: files) { bound in
            let answer = try await Self.get("https://\(bound[0])/healthz")
            #expect(answer.status == .ok)
            // HSTS for this machine would also apply to the programs that use http on its other ports.
            #expect(answer.headers.first(name: "Strict-Transport-Security") == nil)
            let named = try await Self.get("https://\(bound[0])/healthz", host: "tasks.example")
            #expect(named.headers.first(name: "Strict-Transport-Security") != nil)
            #expect(try await RawClient.ask(bound[0], "GET /healthz", host: "tasks.test").isEmpty)
            #expect(try await RawClient.ask(unix, "GET /healthz", host: "tasks.test").hasPrefix("HTTP/1.1 200"))
        }
    }

    @Test("a client that trusts the CA of `tls: localCA` connects by name and by address, and no other client does")
    func localCA() async throws {
        let folder = try TemporaryFolder()
        let made = try LocalhostCertificate(in: StateDirectory(folder.path("state")), now: Date())
        let files = TLSFiles(certificate: made.file, privateKeyFile: made.file)
        let root = try String(contentsOfFile: made.authority, encoding: .utf8)
        try await LiveServer.run([.tcp(host: "127.0.0.1", port: 0)], hosts: .any, tls: files) { bound in
            guard case .tcp(_, let port) = bound[0] else {
                Issue.record("the server listens at \(bound[0])")
                return
            }
            for host in ["localhost", "127.0.0.1"] {
                let url = "https://\(host):\(port)/healthz"
                let answer = try await Self.get(url, trusting: root)
                #expect(answer.status == .ok)
                await #expect(throws: (any Error).self) {
                    try await Self.get(url, trusting: LocalCertificate.certificate)
                }
            }
        }
    }

    @Test("invalid certificate files end the service with an error") func noCertificate() async throws {
        let folder = try TemporaryFolder()
        let files = TLSFiles(certificate: folder.path("c.pem"), privateKeyFile: folder.path("k.pem"))
        let error = await #expect(throws: UnusableCertificate.self) { try await LiveServer.run(tls: files) { _ in } }
        #expect(error?.description.contains(files.certificate) == true)
        #expect(error?.description.contains(files.privateKeyFile) == true)
    }

    @Test("replaced certificate files are used after a reload, and invalid ones change nothing")
    func renewed() async throws {
        let folder = try TemporaryFolder()
        let written = try LocalCertificate.write(to: folder)
        let sockets = try ListeningSocket.open([.tcp(host: "127.0.0.1", port: 0)])
        let router = Router(context: HTTPContext.self)
        Health(checks: [], metrics: PrometheusRegistry()).addRoutes(to: router)
        let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        let pipeline = HTTPPipeline(router: router, hosts: .any, errors: .oauth, logger: logger)
        let service = HTTPService(
            sockets: sockets,
            pipeline: { pipeline },
            tls: TLSFiles(certificate: written.certificate, privateKeyFile: written.privateKey),
            group: MultiThreadedEventLoopGroup.singleton,
            logger: logger
        )
        let url = "https://\(sockets[0].address)/healthz"
        try await serving([service]) { _ in
            let (first, second) = (LocalCertificate.certificate, LocalCertificate.renewedCertificate)
            #expect(try await Self.get(url, trusting: first).status == .ok)
            try LocalCertificate.renew(in: folder)
            #expect(try await Self.get(url, trusting: first).status == .ok)
            try service.renewCertificate()
            #expect(try await Self.get(url, trusting: second).status == .ok)
            await #expect(throws: (any Error).self) { try await Self.get(url, trusting: first) }
            for (certificate, fault) in [
                ("nothing", "no certificate in PEM"), (first, "the private key does not belong to the certificate"),
            ] {
                try Data(certificate.utf8).write(to: URL(fileURLWithPath: written.certificate))
                let error = #expect(throws: UnusableCertificate.self) { try service.renewCertificate() }
                #expect(error?.description.contains(fault) == true, "\(error as Any)")
            }
            #expect(try await Self.get(url, trusting: second).status == .ok)
        }
    }

    private static func get(
        _ url: String,
        trusting root: String? = nil,
        host: String? = nil
    ) async throws -> HTTPClientResponse {
        var configuration = HTTPClient.Configuration()
        configuration.connectionPool.retryConnectionEstablishment = false
        var tls = TLSConfiguration.makeClientConfiguration()
        if let root {
            tls.trustRoots = .certificates(try NIOSSLCertificate.fromPEMBytes(Array(root.utf8)))
        } else {
            tls.certificateVerification = .none
        }
        configuration.tlsConfiguration = tls
        let client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
        do {
            var request = HTTPClientRequest(url: url)
            if let host { request.headers.add(name: "Host", value: host) }
            let answer = try await client.execute(request, timeout: .seconds(10))
            _ = try await answer.body.collect(upTo: 1024)
            try await client.shutdown()
            return answer
        } catch {
            try await client.shutdown()
            throw error
        }
    }
}
