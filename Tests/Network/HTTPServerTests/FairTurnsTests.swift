import Foundation
import HTTPServer
import Hummingbird
import NIOPosix
import Synchronization
import TestSupport
import Testing

/// Tests that requests pipelined by one client do not delay other clients.
@Suite(.timeLimit(.minutes(1)))
struct FairTurnsTests {
    @Test("a request is served before the pipelined requests of another connection") func pipelined() async throws {
        let ahead = 500
        let answered = Mutex(0)
        let meanwhile = Mutex<Int?>(nil)
        let gate = Gate()
        let loop = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        defer { loop.shutdownGracefully { _ in } }
        try await LiveServer.run(
            on: loop,
            routes: { router in
                router.get("ahead") { _, _ in
                    // The first request blocks the event loop until the other client has sent its request.
                    if answered.withLock({
                        $0 += 1
                        return $0
                    }) == 1 {
                        gate.hold()
                    }
                    return Response(status: .ok)
                }
                router.get("other") { _, _ in
                    meanwhile.withLock { $0 = answered.withLock { $0 } }
                    return Response(status: .ok)
                }
            },
            test: { bound in
                let other = try RawClient(bound[0])
                other.send("GET /healthz HTTP/1.1\r\nHost: tasks.test\r\n\r\n")
                #expect(await other.readHead().hasPrefix("HTTP/1.1 200"))
                let greedy = try RawClient(bound[0])
                greedy.send(String(repeating: "GET /ahead HTTP/1.1\r\nHost: tasks.test\r\n\r\n", count: ahead))
                for await _ in gate.held { break }
                other.send("GET /other HTTP/1.1\r\nHost: tasks.test\r\n\r\n")
                gate.open()
                #expect(await other.readHead().hasPrefix("HTTP/1.1 200"))
                greedy.leave()
                other.leave()
            }
        )
        let count = try #require(meanwhile.withLock { $0 })
        #expect(count < ahead / 2)
    }
}

/// Blocks the thread that calls `hold()` until another thread calls `open()`.
private final class Gate: Sendable {
    let held: AsyncStream<Void>
    private let said: AsyncStream<Void>.Continuation
    private let semaphore = DispatchSemaphore(value: 0)

    init() { (held, said) = AsyncStream.makeStream() }

    func hold() {
        said.yield()
        _ = semaphore.wait(timeout: .now() + 20)
    }

    func open() { semaphore.signal() }
}
