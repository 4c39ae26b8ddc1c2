import AsyncHTTPClient
import Foundation
import NIOCore
import NIOPosix
import NIOSSL
import OAuth
import Synchronization
import TestSupport
import Testing

@testable import OutgoingHTTP

/// Tests that the error of a failed connection names the cause, and that the server gets no request.
@Suite(.timeLimit(.minutes(1)))
struct OutgoingFailureTests {
    private func failure(at url: String, over route: OutgoingRoute) async throws -> OutgoingFailure? {
        let clients = OutgoingClients(connect: .seconds(20), route: route)
        let error = await #expect(throws: OutgoingFailure.self) {
            _ = try await clients.execute(HTTPClientRequest(url: url), timeout: .seconds(20))
        }
        try await clients.shutdown()
        return error
    }

    @Test("an untrusted certificate is reported with its issuer") func untrusted() async throws {
        let folder = try TemporaryFolder()
        let server = try await RecordingServer(certificate: try LocalCertificate.write(to: folder))
        let error = try await failure(at: "https://localhost:\(server.port)/secret", over: .direct)
        #expect(error?.cause == .untrustedIssuer("CN=localhost") && error?.host == "localhost")
        let sentence = "This machine does not trust the issuer of the certificate of localhost: CN=localhost. "
        #expect(error?.description.hasPrefix(sentence) == true, "\(error?.description ?? "")")
        #expect(server.requests == [])
        try await server.stop()
    }

    @Test("a certificate outside its validity is reported with the time of this machine") func clock() async throws {
        let folder = try TemporaryFolder()
        let server = try await RecordingServer(certificate: try LocalCertificate.write(to: folder))
        let now = Date(timeIntervalSince1970: 0)
        let error = await CertificateProbe(loopback: .known())
            .failure(at: "https://localhost:\(server.port)/", host: "localhost", now: now)
        guard case .certificateTime(_, _, now) = error.cause else {
            Issue.record("\(error)")
            return
        }
        #expect(error.description.contains("this machine's clock shows 1970-01-01 00:00:00Z"), "\(error)")
        #expect(server.requests == [])
        try await server.stop()
    }

    @Test("a trusted certificate for another host name is reported as such") func otherName() async throws {
        let folder = try TemporaryFolder()
        let files = try LocalCertificate.writePartner(to: folder)
        let server = try await RecordingServer(certificate: files)
        let route = try OutgoingRoute(proxy: nil, authorityFile: files.certificate)
        let error = try await failure(at: "https://localhost:\(server.port)/", over: route)
        #expect(error?.cause == .certificateName, "\(error?.description ?? "")")
        #expect(server.requests == [])
        try await server.stop()
    }

    @Test("a host name that cannot be resolved is reported") func unknownHost() async throws {
        // The first label is longer than DNS allows, so the resolver sends no query.
        let host = String(repeating: "a", count: 64) + ".example"
        let error = try await failure(at: "https://\(host)/", over: .direct)
        #expect(error == OutgoingFailure(.unknownHost, at: host))
    }

    @Test(
        "a refusal by the proxy is reported, and the proxy alone gets the credentials",
        arguments: [
            (407, false, .proxyWithoutCredentials), (407, true, .proxyRejectsCredentials), (403, false, .proxyRefusal),
        ] as [(Int, Bool, OutgoingFailure.Cause)]
    )
    func proxy(_ status: Int, _ hasCredentials: Bool, _ cause: OutgoingFailure.Cause) async throws {
        let server = try await RecordingServer(response: "HTTP/1.1 \(status) No\r\nContent-Length: 0\r\n\r\n")
        let proxy = OutgoingRoute.Proxy(
            host: "127.0.0.1",
            port: server.port,
            username: hasCredentials ? "user" : nil,
            password: hasCredentials ? Secret("Planted-pass") : nil
        )
        let route = try OutgoingRoute(proxy: proxy, authorityFile: nil)
        let error = try await failure(at: "https://login.partner.example/", over: route)
        #expect(error == OutgoingFailure(cause, at: "login.partner.example"))
        #expect(error?.description.contains("Planted") == false)
        let request = try #require(server.requests.first).lowercased()
        #expect(request.hasPrefix("connect login.partner.example:443 "))
        let pair = Data("user:Planted-pass".utf8).base64EncodedString().lowercased()
        #expect(request.contains("proxy-authorization: basic \(pair)") == hasCredentials, "\(request)")
        try await server.stop()
    }

    @Test(
        "a proxy that cannot be reached is reported as such, with the system's words",
        arguments: ["127.0.0.1", "localhost"]
    )
    func closedProxy(_ host: String) async throws {
        let port = freePort()
        let route = try OutgoingRoute(proxy: OutgoingRoute.Proxy(host: host, port: port), authorityFile: nil)
        let error = try await failure(at: "https://login.partner.example/", over: route)
        let reason = "Connection refused"
        #expect(error == OutgoingFailure(.proxyUnreachable(reason: reason), at: "login.partner.example"))
        #expect(error?.description == "The proxy cannot be reached: \(reason). Check outgoing.proxy.")
    }

    @Test("a file of certificate authorities without readable certificates is reported, for https only")
    func authorityFile() throws {
        let folder = try TemporaryFolder()
        let url = "https://login.partner.example/"
        let empty = folder.path("empty.pem")
        try Data("no certificate\n".utf8).write(to: URL(fileURLWithPath: empty))
        for file in [empty, folder.path("missing.pem")] {
            let failure = try #require(OutgoingFailure(ofAuthorities: file, at: url))
            #expect(failure == OutgoingFailure(.authorityFile(file), at: "login.partner.example"))
            let sentence = "SSL_CERT_FILE names \(file), which contains no readable certificates. "
            #expect(failure.description.hasPrefix(sentence), "\(failure)")
            #expect(OutgoingFailure(ofAuthorities: file, at: "http://localhost:1/") == nil)
        }
        let certificate = try LocalCertificate.write(to: folder).certificate
        #expect(OutgoingFailure(ofAuthorities: certificate, at: url) == nil)
        #expect(OutgoingFailure(ofAuthorities: nil, at: url) == nil)
    }

    @Test("the description of a TLS error for the log contains no source path") func paths() async throws {
        let folder = try TemporaryFolder()
        let server = try await RecordingServer(certificate: try LocalCertificate.write(to: folder))
        let client = OutgoingHTTP.client()
        let error = await #expect(throws: NIOSSLError.self) {
            _ = try await client.execute(
                HTTPClientRequest(url: "https://localhost:\(server.port)/"),
                timeout: .seconds(20)
            )
        }
        let text = OutgoingHTTP.description(of: try #require(error))
        #expect(text.contains("CERTIFICATE_VERIFY_FAILED") && !text.contains("/") && !text.contains(".cc"), "\(text)")
        let failure = await OutgoingHTTP.failure(try #require(error), at: "https://localhost:\(server.port)/")
        #expect(failure?.cause == .untrustedIssuer("CN=localhost"))
        try await client.shutdown()
        try await server.stop()
    }

    @Test(
        "a closed port is reported with the system's words",
        arguments: [("localhost", "localhost:PORT: Connection refused"), ("127.0.0.1", "Connection refused")]
    )
    func closed(_ host: String, _ words: String) async throws {
        let client = OutgoingHTTP.client()
        let port = freePort()
        let error = await #expect(throws: (any Error).self) {
            _ = try await client.execute(HTTPClientRequest(url: "http://\(host):\(port)/"), timeout: .seconds(20))
        }
        let text = OutgoingHTTP.description(of: try #require(error))
        #expect(text == words.replacing("PORT", with: "\(port)"))
        try await client.shutdown()
    }
}

/// A server that records every request head, and sends the same response to each.
private final class RecordingServer: Sendable {
    private final class Recorder: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer
        typealias OutboundOut = ByteBuffer

        private let record: @Sendable (String) -> ByteBuffer
        private var head = ""

        init(_ record: @escaping @Sendable (String) -> ByteBuffer) { self.record = record }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            head += String(buffer: unwrapInboundIn(data))
            guard head.hasSuffix("\r\n\r\n") else { return }
            context.writeAndFlush(wrapOutboundOut(record(head)), promise: nil)
            head = ""
        }

        func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
    }

    private final class Heads: Sendable {
        let all = Mutex<[String]>([])
    }

    private let channel: any Channel
    private let heads = Heads()

    var port: Int { channel.localAddress?.port ?? 0 }
    var requests: [String] { heads.all.withLock { $0 } }

    init(certificate: (certificate: String, privateKey: String)? = nil, response: String = "") async throws {
        let tls = try certificate.map { files in
            try NIOSSLContext(
                configuration: .makeServerConfiguration(
                    certificateChain: try NIOSSLCertificate.fromPEMFile(files.certificate).map { .certificate($0) },
                    privateKey: .privateKey(try NIOSSLPrivateKey(file: files.privateKey, format: .pem))
                )
            )
        }
        let record: @Sendable (String) -> ByteBuffer = { [heads] head in
            heads.all.withLock { $0.append(head) }
            return ByteBuffer(string: response)
        }
        channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    if let tls { try channel.pipeline.syncOperations.addHandler(NIOSSLServerHandler(context: tls)) }
                    try channel.pipeline.syncOperations.addHandler(Recorder(record))
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
    }

    func stop() async throws { try await channel.close() }
}
