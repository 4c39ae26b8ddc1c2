import AsyncHTTPClient
import Foundation
import HTTPServer
import NIOCore
import NIOHTTP1
import NIOSSL
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(1)))
struct TLSTests {
    @Test("with certificate files TCP is TLS, and a Unix socket stays plain") func files() async throws {
        let folder = try TemporaryFolder()
        let written = try LocalCertificate.write(to: folder)
        let files = TLSFiles(certificate: written.certificate, privateKeyFile: written.privateKey)
        let unix = ListenAddress.unix(path: folder.path("s.sock"), mode: 0o600)
        let addresses = [ListenAddress.tcp(host: "127.0.0.1", port: 0), unix]
        try await LiveServer.run(addresses, hosts: .any, tls: files) { bound in
            let answer = try await Self.get("https://\(bound[0])/healthz")
            #expect(answer.status == .ok)
            #expect(answer.headers.first(name: "Strict-Transport-Security") != nil)
            #expect(try await RawClient.ask(bound[0], "GET /healthz", host: "tasks.test").isEmpty)
            #expect(try await RawClient.ask(unix, "GET /healthz", host: "tasks.test").hasPrefix("HTTP/1.1 200"))
        }
    }

    @Test("files that are no certificate end the service with an error") func noCertificate() async throws {
        let folder = try TemporaryFolder()
        let files = TLSFiles(certificate: folder.path("c.pem"), privateKeyFile: folder.path("k.pem"))
        await #expect(throws: (any Error).self) { try await LiveServer.run(tls: files) { _ in } }
    }

    private static func get(_ url: String) async throws -> HTTPClientResponse {
        var configuration = HTTPClient.Configuration()
        var tls = TLSConfiguration.makeClientConfiguration()
        tls.certificateVerification = .none
        configuration.tlsConfiguration = tls
        let client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
        do {
            let answer = try await client.execute(HTTPClientRequest(url: url), timeout: .seconds(10))
            _ = try await answer.body.collect(upTo: 1024)
            try await client.shutdown()
            return answer
        } catch {
            try await client.shutdown()
            throw error
        }
    }
}
