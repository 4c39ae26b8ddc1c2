import AsyncHTTPClient
import NIOCore
import NIOEmbedded
import Synchronization
import TestSupport
import Testing

@testable import OutgoingHTTP

@Suite(.timeLimit(.minutes(1)))
struct OutgoingHTTPTests {
    /// A function that runs an exchange with a deadline.
    typealias Within = @Sendable (Duration, @escaping @Sendable () async throws -> Int) async throws -> Int

    /// The functions that run an exchange on any thread, and on the event loop of its connection.
    private static let ways: [Within] = [
        { try await OutgoingHTTP.within($0, $1) },
        { try await OutgoingHTTP.within($0, on: LoopExecutor(HTTPClient.defaultEventLoopGroup.next()), $1) },
    ]

    @Test("an exchange that exceeds its deadline is cancelled and counts as slow") func slow() async throws {
        let clock = SleepClock()
        let (answers, open) = AsyncStream<Void>.makeStream()
        let exchange = Task {
            try await OutgoingHTTP.within(.seconds(30), by: clock) {
                for await _ in answers {}
                try Task.checkCancellation()
            }
        }
        try await clock.advance(by: .seconds(30))
        let error = await #expect(throws: HTTPClientError.self) { try await exchange.value }
        #expect(error.map(OutgoingHTTP.isSlowness) == true)
        open.finish()
    }

    @Test("an exchange on the event loop of its connection is cancelled in the same way") func slowOnLoop() async throws
    {
        let loop = NIOAsyncTestingEventLoop()
        let (answers, open) = AsyncStream<Void>.makeStream()
        let isOver = Mutex(false)
        let exchange = Task {
            defer { isOver.withLock { $0 = true } }
            try await OutgoingHTTP.within(.seconds(30), on: LoopExecutor(loop)) {
                for await _ in answers {}
                try Task.checkCancellation()
            }
        }
        try await waitUntil("the exchange is cancelled") {
            await loop.advanceTime(by: .seconds(30))
            return isOver.withLock { $0 }
        }
        let error = await #expect(throws: HTTPClientError.self) { try await exchange.value }
        #expect(error.map(OutgoingHTTP.isSlowness) == true)
        open.finish()
        // The event loop runs what remains of the cancelled exchange, and then shuts down.
        await loop.run()
        await loop.shutdownGracefully()
    }

    @Test("what an exchange returns or throws before the deadline is passed on unchanged", arguments: ways.indices)
    func unchanged(_ way: Int) async throws {
        #expect(try await Self.ways[way](.seconds(30)) { 7 } == 7)
        let error = await #expect(throws: HTTPClientError.self) {
            try await Self.ways[way](.seconds(30)) { throw HTTPClientError.remoteConnectionClosed }
        }
        #expect(error.map(OutgoingHTTP.isSlowness) == false)
    }

    @Test("a cancelled exchange is cancelled, and reported as such", arguments: ways.indices)
    func givenUp(_ way: Int) async throws {
        let (starts, hasStarted) = AsyncStream<Void>.makeStream()
        let (answers, open) = AsyncStream<Void>.makeStream()
        let task = Task {
            try await Self.ways[way](.seconds(30)) {
                hasStarted.finish()
                for await _ in answers {}
                try Task.checkCancellation()
                return 0
            }
        }
        for await _ in starts {}
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        open.finish()
    }
}
