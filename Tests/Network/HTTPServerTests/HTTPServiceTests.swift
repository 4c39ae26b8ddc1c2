import Foundation
import HTTPServer
import Hummingbird
import Logging
import NIOCore
import NIOPosix
import ServiceLifecycle
import Synchronization
import Systemd
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(1)))
struct HTTPServiceTests {
    @Test("the service listens on both loopback addresses and on a Unix socket with its mode") func addresses()
        async throws
    {
        let folder = try TemporaryFolder()
        let path = folder.path("a.sock")
        let addresses: [ListenAddress] = [
            .tcp(host: "127.0.0.1", port: 0), .tcp(host: "::1", port: 0), .unix(path: path, mode: 0o660),
        ]
        try await LiveServer.run(addresses) { bound in
            for address in bound {
                #expect(try await RawClient.ask(address, "GET /healthz", host: "tasks.test").hasPrefix("HTTP/1.1 200"))
            }
            let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
            #expect(mode == 0o660)
            let local = try await RawClient.ask(.unix(path: path, mode: 0), "GET /healthz", host: "localhost")
            #expect(local.hasPrefix("HTTP/1.1 200"))
        }
        #expect(!FileManager.default.fileExists(atPath: path))
    }

    @Test("a request over a Unix socket has the uid of its sender, and one over TCP has none") func peer() async throws
    {
        let folder = try TemporaryFolder()
        let addresses: [ListenAddress] = [
            .tcp(host: "127.0.0.1", port: 0), .unix(path: folder.path("a.sock"), mode: 0o600),
        ]
        try await LiveServer.run(
            addresses,
            routes: { router in
                router.get("peer") { _, context in
                    let text = context.peer.map { "uid \($0)." } ?? "none."
                    return Response(status: .ok, body: .init(byteBuffer: ByteBuffer(string: text)))
                }
            },
            test: { bound in
                let answers = try await (
                    RawClient.ask(bound[0], "GET /peer", host: "tasks.test"),
                    RawClient.ask(bound[1], "GET /peer", host: "localhost")
                )
                #expect(answers.0.hasSuffix("none.") && answers.1.hasSuffix("uid \(getuid())."))
            }
        )
    }

    @Test("a service that is cancelled while clients connect closes their connections") func givenUp() async throws {
        for _ in 0..<50 {
            let sockets = try ListeningSocket.open([.tcp(host: "127.0.0.1", port: 0)])
            let service = HTTPService(
                sockets: sockets,
                pipeline: { throw CancellationError() },
                group: MultiThreadedEventLoopGroup.singleton,
                logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
            )
            let running = Task { try await service.run() }
            // Some clients connect before the service ends, and some are refused. The service must close every
            // connection.
            let clients = (0..<16).compactMap { _ in try? RawClient(sockets[0].address) }
            running.cancel()
            _ = await running.result
            for client in clients { _ = await client.readToEnd() }
        }
    }

    @Test(
        "a request that arrives before the routes exist waits for them, and is closed if they fail",
        arguments: [true, false]
    )
    func early(_ comes: Bool) async throws {
        let (questions, asked) = AsyncStream.makeStream(of: Void.self)
        let (news, made) = AsyncStream.makeStream(of: Bool.self)
        let pipeline = Task { for await comes in news { if !comes { throw CancellationError() } } }
        try await LiveServer.run(
            isReady: {
                asked.yield()
                try await pipeline.value
            },
            test: { bound in
                let client = try RawClient(bound[0])
                client.send("GET /healthz HTTP/1.1\r\nHost: tasks.test\r\nConnection: close\r\n\r\n")
                for await _ in questions { break }
                made.yield(comes)
                made.finish()
                let answer = await client.readToEnd()
                #expect(comes ? answer.hasPrefix("HTTP/1.1 200") : answer.isEmpty)
            }
        )
    }

    @Test("several hundred connections wait while the server is busy, and none is refused") func queue() async throws {
        let folder = try TemporaryFolder()
        let path = folder.path("a.sock")
        let loops = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        try await LiveServer.run([.unix(path: path, mode: 0o600)], on: loops) { bound in
            // After the first response, the server is running and no longer changes the length of its listen queue.
            let first = try await RawClient.ask(bound[0], "GET /healthz", host: "localhost")
            #expect(first.hasPrefix("HTTP/1.1 200"))
            let (isBusy, goOn) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
            loops.next().execute {
                isBusy.signal()
                goOn.wait()
            }
            defer { goOn.signal() }
            try await NIOThreadPool.singleton.runIfActive {
                isBusy.wait()
                for _ in 0..<400 { _ = try PeerCredentials(listeningAt: path) }
            }
        }
        try await loops.shutdownGracefully()
    }

    @Test("connections of a uid to a Unix socket beyond its limit are closed, and one more is accepted when one closes")
    func places() async throws {
        let folder = try TemporaryFolder()
        let address = ListenAddress.unix(path: folder.path("a.sock"), mode: 0o600)
        var limits = HTTPLimits()
        limits.connectionsPerUID = 2
        try await LiveServer.run([address], limits: limits) { _ in
            let kept = try (0..<2).map { _ in try RawClient(address) }
            for client in kept {
                client.send("GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
                #expect(await client.readHead().hasPrefix("HTTP/1.1 200"))
            }
            for _ in 0..<3 { #expect(try await RawClient(address).readToEnd().isEmpty) }
            kept[0].send("GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
            #expect(await kept[0].readToEnd().hasPrefix("HTTP/1.1 200"))
            try await waitUntil("a place is free again") {
                try await RawClient.ask(address, "GET /healthz", host: "localhost").hasPrefix("HTTP/1.1 200")
            }
        }
    }

    @Test("a request is served at once, regardless of the number of idle connections") func waiting()
        async throws
    {
        var limits = HTTPLimits()
        limits.connections = 3
        limits.connectionsAnswered = 4
        try await LiveServer.run(limits: limits) { bound in
            var idle: [RawClient] = []
            for _ in 0..<9 {
                let client = try RawClient(bound[0])
                client.send("GET /healthz HTTP/1.1\r\nHost: tasks.test\r\nX: ")
                idle.append(client)
            }
            #expect(try await RawClient.ask(bound[0], "GET /healthz", host: "tasks.test").hasPrefix("HTTP/1.1 200"))
            // The server has closed the connections that were idle for the longest time.
            for client in idle.prefix(6) { #expect(await client.readToEnd().isEmpty) }
        }
    }

    @Test("only an idle connection is closed for a new one") func answering() async throws {
        var limits = HTTPLimits()
        limits.connections = 1
        limits.connectionsAnswered = 3
        let (questions, asked) = AsyncStream.makeStream(of: Void.self)
        let (news, goOn) = AsyncStream.makeStream(of: Void.self)
        let mayAnswer = Task { for await _ in news { break } }
        try await LiveServer.run(
            limits: limits,
            routes: { router in
                router.get("slow") { _, _ in
                    asked.yield()
                    await mayAnswer.value
                    return "slowly"
                }
            },
            test: { bound in
                let slow = try RawClient(bound[0])
                slow.send("GET /slow HTTP/1.1\r\nHost: tasks.test\r\nConnection: close\r\n\r\n")
                for await _ in questions { break }
                #expect(try await RawClient.ask(bound[0], "GET /healthz", host: "tasks.test").hasPrefix("HTTP/1.1 200"))
                goOn.yield()
                #expect(await slow.readToEnd().hasSuffix("slowly"))
            }
        )
    }

    @Test("an inherited socket is served") func inherited() async throws {
        let first = try ListeningSocket(.tcp(host: "127.0.0.1", port: 0))
        let copy = try ListeningSocket(inherited: dup(first.fileDescriptor))
        #expect(copy.address == first.address)
        first.close()
        copy.close()
        let error = #expect(throws: ListenError.self) { try ListeningSocket(inherited: 9999) }
        #expect(error?.code == .notASocket)
    }

    @Test(
        "a host other than the base is 421 before routing, and a request without a host is 400",
        arguments: ["evil.test", "tasks.test:1", "localhost", ""]
    )
    func foreignHost(_ host: String) async throws {
        try await LiveServer.run { bound in
            let answer = try await RawClient.ask(bound[0], "GET /healthz", host: host)
            #expect(answer.hasPrefix(host.isEmpty ? "HTTP/1.1 400" : "HTTP/1.1 421"))
            #expect(answer.contains("\"error\":\"invalid_request\""))
        }
    }

    @Test("the correlation id is returned, also in errors, and generated if it is missing or invalid")
    func correlation() async throws {
        let id = "0F8FAD5B-D9CB-469F-A165-70867728950E"
        try await LiveServer.run { bound in
            let known = try await RawClient.ask(
                bound[0],
                "GET /nothing",
                host: "tasks.test",
                ["client-request-id: \(id)"]
            )
            #expect(known.hasPrefix("HTTP/1.1 404"))
            #expect(known.contains("client-request-id: \(id.lowercased())"))
            #expect(known.contains("\"correlation_id\":\"\(id.lowercased())\""))
            let made = try await RawClient.ask(
                bound[0],
                "GET /healthz",
                host: "tasks.test",
                ["client-request-id: x\"y"]
            )
            #expect(made.contains("client-request-id: ") && !made.contains("x\"y"))
        }
    }

    @Test("responses contain the security header fields") func headers() async throws {
        try await LiveServer.run { bound in
            let answer = try await RawClient.ask(bound[0], "GET /healthz", host: "tasks.test")
            for field in [
                "X-Content-Type-Options: nosniff", "Cache-Control: no-store", "Date: ", "frame-ancestors 'none'",
            ] {
                #expect(answer.contains(field))
            }
        }
    }

    @Test("a body over the limit is 413, announced or in chunks") func tooLarge() async throws {
        try await LiveServer.run { bound in
            let big = String(repeating: "x", count: 65 * 1024)
            let announced = try await RawClient.ask(bound[0], "POST /echo", host: "tasks.test", body: big)
            #expect(announced.hasPrefix("HTTP/1.1 413") && announced.contains("the limit of 65536 bytes"))
            let chunked = "\(String(big.utf8.count, radix: 16))\r\n\(big)\r\n0\r\n\r\n"
            let client = try RawClient(bound[0])
            client.send("POST /echo HTTP/1.1\r\nHost: tasks.test\r\nConnection: close\r\n")
            client.send("Transfer-Encoding: chunked\r\n\r\n" + chunked)
            let answer = await client.readToEnd()
            #expect(answer.hasPrefix("HTTP/1.1 413") && answer.contains("the limit of 65536 bytes"))
            let fits = try await RawClient.ask(bound[0], "POST /echo", host: "tasks.test", body: "hello")
            #expect(fits.hasSuffix("\r\n\r\nhello"))
        }
    }

    @Test("input that is not HTTP is 400, and endless header fields are not stored") func malformed() async throws {
        try await LiveServer.run { bound in
            let client = try RawClient(bound[0])
            client.send("\u{1}\u{2}\r\n\r\n")
            #expect(await client.readToEnd().hasPrefix("HTTP/1.1 400"))
            let huge = try await RawClient.ask(
                bound[0],
                "GET /healthz",
                host: "tasks.test",
                ["X-A: " + String(repeating: "a", count: 40_000)]
            )
            #expect(huge.hasPrefix("HTTP/1.1 431"))
        }
    }

    @Test("a request that does not arrive completely in time is cut off", .timeLimit(.minutes(1)))
    func slowRequest() async throws {
        var limits = HTTPLimits()
        limits.idle = .seconds(10)
        try await LiveServer.run(limits: limits) { bound in
            let client = try RawClient(bound[0])
            let silent = try RawClient(bound[0])
            client.send("POST /echo HTTP/1.1\r\nHost: tasks.test\r\nContent-Length: 10\r\n\r\nabc")
            #expect(await !client.readToEnd().contains("200 OK"))
            #expect(await silent.readToEnd().isEmpty)
        }
    }

    @Test("a failing handler is 500 without the reason") func failure() async throws {
        struct Broken: Error {}
        let routes: (Router<HTTPContext>) -> Void = { router in
            router.get("broken") { _, _ -> Response in throw Broken() }
        }
        try await LiveServer.run(routes: routes) { bound in
            let answer = try await RawClient.ask(bound[0], "GET /broken", host: "tasks.test")
            #expect(answer.hasPrefix("HTTP/1.1 500") && !answer.contains("Broken"))
        }
    }

    @Test("a request in progress is completed after shutdown was requested") func graceful() async throws {
        let (arrived, arrive) = AsyncStream.makeStream(of: Void.self)
        var answer: Task<String, any Error>?
        let routes: (Router<HTTPContext>) -> Void = { router in
            router.get("slow") { _, _ -> Response in
                arrive.yield()
                try await gracefulShutdown()
                return Response(status: .ok, body: .init(byteBuffer: ByteBuffer(string: "finished")))
            }
        }
        try await LiveServer.run(routes: routes) { bound in
            let address = bound[0]
            answer = Task { try await RawClient.ask(address, "GET /slow", host: "tasks.test") }
            for await _ in arrived { break }
        }
        #expect(try await answer?.value.hasSuffix("finished") == true)
    }

    @Test("a client that is connected at shutdown still gets one response") func lastRequest() async throws {
        var limits = HTTPLimits()
        // The server would wait longer than the test runs, but the arriving request ends the wait.
        limits.lastRequest = .seconds(60)
        let request = "GET /healthz HTTP/1.1\r\nHost: tasks.test\r\n\r\n"
        var answer: Task<String, any Error>?
        try await LiveServer.run(limits: limits) { bound in
            let address = bound[0]
            let client = try RawClient(address)
            client.send(request)
            #expect(await client.readHead().hasPrefix("HTTP/1.1 200"))
            answer = Task {
                // The shutdown has begun as soon as the server accepts no new connection.
                try await waitUntil("no connection is accepted") {
                    (try? await RawClient.ask(address, "GET /healthz", host: "tasks.test")) == nil
                }
                client.send(request)
                return await client.readToEnd()
            }
        }
        #expect(try await answer?.value.hasPrefix("HTTP/1.1 200") == true)
    }

    @Test("consecutive servers on one socket fail no request", .timeLimit(.minutes(2))) func handedOn()
        async throws
    {
        let listener = try ListeningSocket(.tcp(host: "127.0.0.1", port: 0))
        defer { listener.close() }
        let address = listener.address
        let clientsLeft = Countdown(3)
        try await withThrowingTaskGroup(of: Void.self) { clients in
            for _ in 0..<3 {
                clients.addTask {
                    defer { clientsLeft.next() }
                    for _ in 0..<150 {
                        let answer = try await RawClient.ask(address, "GET /healthz", host: "tasks.test")
                        #expect(answer.hasPrefix("HTTP/1.1 200"))
                    }
                }
            }
            while clientsLeft.value > 0 {
                let socket = try ListeningSocket(inherited: dup(listener.fileDescriptor))
                try await LiveServer.run(inherited: [socket]) { _ in
                    for _ in 0..<5 { _ = try await RawClient.ask(address, "GET /healthz", host: "tasks.test") }
                }
            }
            try await clients.waitForAll()
        }
    }

    @Test("metrics count requests by route and are hidden behind a proxy") func metrics() async throws {
        try await LiveServer.run { bound in
            _ = try await RawClient.ask(bound[0], "GET /healthz", host: "tasks.test")
            let page = try await RawClient.ask(bound[0], "GET /metrics", host: "tasks.test")
            #expect(page.contains("http_requests_total{method=\"GET\",route=\"/healthz\",status=\"200\"} 1"))
            let fields = [
                "Forwarded: for=1.2.3.4", "X-Forwarded-Host: a.example", "X-Real-IP: 1.2.3.4", "Via: 1.1 proxy",
            ]
            for field in fields {
                let proxied = try await RawClient.ask(bound[0], "GET /metrics", host: "tasks.test", [field])
                #expect(proxied.hasPrefix("HTTP/1.1 404"), "\(field)")
            }
        }
    }

    @Test("behind a proxy without Forwarded metrics are hidden too, and on their own listener they are public")
    func metricsAudience() async throws {
        let forwarded = ["Forwarded: for=1.2.3.4"]
        try await LiveServer.run(metricsFor: .init(isBehindProxy: true)) { bound in
            let page = try await RawClient.ask(bound[0], "GET /metrics", host: "tasks.test")
            #expect(page.hasPrefix("HTTP/1.1 404"))
        }
        try await LiveServer.run(metricsFor: .everyCaller) { bound in
            let page = try await RawClient.ask(bound[0], "GET /metrics", host: "tasks.test", forwarded)
            #expect(page.hasPrefix("HTTP/1.1 200"))
        }
    }
}

private final class Countdown: Sendable {
    private let count: Mutex<Int>

    var value: Int { count.withLock { $0 } }

    init(_ count: Int) {
        self.count = Mutex(count)
    }

    func next() {
        count.withLock { $0 -= 1 }
    }
}
