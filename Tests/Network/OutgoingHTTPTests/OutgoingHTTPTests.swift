import AsyncHTTPClient
import NIOCore
import Testing

@testable import OutgoingHTTP

@Suite(.timeLimit(.minutes(1)))
struct OutgoingHTTPTests {
    /// Runs an exchange within a time.
    typealias Within = @Sendable (Duration, @escaping @Sendable () async throws -> Int) async throws -> Int

    /// The ways to run an exchange: wherever it is, and on the thread of its connection.
    private static let ways: [Within] = [
        { try await OutgoingHTTP.within($0, $1) },
        { try await OutgoingHTTP.within($0, on: LoopExecutor(HTTPClient.defaultEventLoopGroup.next()), $1) },
    ]

    @Test("an exchange that takes longer than its time is cancelled and counts as slow", arguments: ways.indices)
    func slow(_ way: Int) async throws {
        let error = await #expect(throws: HTTPClientError.self) {
            let (answers, open) = AsyncStream<Void>.makeStream()
            _ = try await Self.ways[way](.milliseconds(10)) {
                for await _ in answers {}
                try Task.checkCancellation()
                return 0
            }
            open.finish()
        }
        #expect(error.map(OutgoingHTTP.isSlowness) == true)
    }

    @Test("what an exchange returns or throws within its time comes out unchanged", arguments: ways.indices)
    func unchanged(_ way: Int) async throws {
        #expect(try await Self.ways[way](.seconds(30)) { 7 } == 7)
        let error = await #expect(throws: HTTPClientError.self) {
            try await Self.ways[way](.seconds(30)) { throw HTTPClientError.remoteConnectionClosed }
        }
        #expect(error.map(OutgoingHTTP.isSlowness) == false)
    }

    @Test("an exchange that is given up is cancelled, and that is told", arguments: ways.indices)
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
