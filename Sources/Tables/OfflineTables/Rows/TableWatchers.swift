import Synchronization

final class TableWatchers: Sendable {
    private struct State {
        var next = 0
        var watchers: [Int: (table: String, stream: AsyncStream<Void>.Continuation)] = [:]
    }

    private let state = Mutex(State())

    func changed(_ table: String) {
        for watcher in state.withLock({ $0.watchers.values.filter { $0.table == table } }) {
            watcher.stream.yield()
        }
    }

    /// Returns a stream that yields an element when the table may have changed.
    func watch(_ table: String) -> AsyncStream<Void> {
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let number = state.withLock { state in
            state.next += 1
            state.watchers[state.next] = (table, continuation)
            return state.next
        }
        continuation.onTermination = { [weak self] _ in
            self?.state.withLock { $0.watchers[number] = nil }
        }
        return stream
    }
}
