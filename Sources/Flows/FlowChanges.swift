import FlowModel
import Synchronization

/// Wakes those who wait for a flow to change.
///
/// What it tells is a hint: who is woken looks for himself.
final class FlowChanges: Sendable {
    /// The most calls that may wait at once.
    static let mostWaiters = 4096

    /// One who waits.
    struct Subscription: Sendable {
        fileprivate let id: UInt64
        fileprivate let flow: String
        fileprivate let signals: AsyncStream<Void>

        /// Returns at the next change, or when the time is up.
        func next(within time: Duration) async throws {
            try await withThrowingTaskGroup(of: Void.self) { group in
                let signals = signals
                group.addTask { for await _ in signals { return } }
                group.addTask { try await Task.sleep(for: time) }
                try await group.next()
                group.cancelAll()
            }
            try Task.checkCancellation()
        }
    }

    private struct Waiters {
        var next: UInt64 = 0
        var byFlow: [String: [UInt64: AsyncStream<Void>.Continuation]] = [:]
        var count = 0
    }

    private let waiters = Mutex(Waiters())

    /// Begins to wait for changes of a flow.
    func subscribe(to flow: String) throws -> Subscription {
        let (signals, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let id: UInt64? = waiters.withLock { waiters in
            guard waiters.count < Self.mostWaiters else { return nil }
            waiters.next += 1
            waiters.count += 1
            waiters.byFlow[flow, default: [:]][waiters.next] = continuation
            return waiters.next
        }
        guard let id else { throw Refusals.tooManyWaiters }
        return Subscription(id: id, flow: flow, signals: signals)
    }

    /// Ends waiting.
    func unsubscribe(_ subscription: Subscription) {
        waiters.withLock { waiters in
            guard waiters.byFlow[subscription.flow]?.removeValue(forKey: subscription.id) != nil else { return }
            waiters.count -= 1
            if waiters.byFlow[subscription.flow]?.isEmpty == true { waiters.byFlow[subscription.flow] = nil }
        }
    }

    /// Wakes who waits for a flow.
    func changed(_ flow: String) {
        for continuation in waiters.withLock({ $0.byFlow[flow].map { Array($0.values) } ?? [] }) {
            continuation.yield()
        }
    }

    /// Wakes everybody.
    func changedAll() {
        for continuation in waiters.withLock({ $0.byFlow.values.flatMap(\.values) }) { continuation.yield() }
    }
}
