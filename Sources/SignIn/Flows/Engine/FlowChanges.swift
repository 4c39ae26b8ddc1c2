import FlowModel
import Synchronization

/// A registry of the callers that are woken when a flow changes, so that they read the flow again.
final class FlowChanges: Sendable {
    /// The maximum number of calls that can wait at once.
    static let mostWaiters = 4096
    /// The maximum number of one owner's calls that can wait at once.
    static let mostWaitersPerOwner = 64
    /// The maximum time between two reads of the flow, which limits the delay if another daemon changes the flow.
    static let pollInterval: Duration = .seconds(5)
    /// The minimum time between two reads of the flow.
    static let shortestPause: Duration = .milliseconds(50)

    struct Subscription: Sendable {
        fileprivate let id: UInt64
        fileprivate let flow: String
        fileprivate let owner: Owner
        fileprivate let signals: AsyncStream<Void>

        fileprivate let continuation: AsyncStream<Void>.Continuation

        func next(within time: Duration) async throws {
            // Wake the reader instead of cancelling it, because cancellation would end the stream permanently.
            let timer = Task { [continuation] in
                try await Task.sleep(for: time)
                continuation.yield()
            }
            defer { timer.cancel() }
            for await _ in signals { break }
            try Task.checkCancellation()
        }
    }

    private struct Waiter {
        let owner: Owner
        let continuation: AsyncStream<Void>.Continuation
    }

    private struct Waiters {
        var next: UInt64 = 0
        var byFlow: [String: [UInt64: Waiter]] = [:]
        var byOwner: [Owner: Int] = [:]
        var count = 0
    }

    typealias Withdraw = @Sendable (AccountEdit, UserID) async -> Void

    private let waiters = Mutex(Waiters())
    private let withdraw = Mutex<Withdraw?>(nil)

    /// Sets the function to call before a change to an account is reported to any caller, or removes it if `nil`.
    func onAccountEdited(_ withdraw: Withdraw?) { self.withdraw.withLock { $0 = withdraw } }

    func edited(_ edit: AccountEdit, of user: UserID) async {
        await withdraw.withLock { $0 }?(edit, user)
    }

    /// Registers a call that waits for changes to a flow, or throws `limit_exceeded` if too many calls are waiting.
    func subscribe(to flow: String, owner: Owner) throws -> Subscription {
        let (signals, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let id: UInt64? = waiters.withLock { waiters in
            guard waiters.count < Self.mostWaiters, waiters.byOwner[owner, default: 0] < Self.mostWaitersPerOwner
            else { return nil }
            waiters.next += 1
            waiters.count += 1
            waiters.byOwner[owner, default: 0] += 1
            waiters.byFlow[flow, default: [:]][waiters.next] = Waiter(owner: owner, continuation: continuation)
            return waiters.next
        }
        guard let id else { throw Refusals.tooManyWaiters }
        return Subscription(id: id, flow: flow, owner: owner, signals: signals, continuation: continuation)
    }

    func unsubscribe(_ subscription: Subscription) {
        waiters.withLock { waiters in
            guard waiters.byFlow[subscription.flow]?.removeValue(forKey: subscription.id) != nil else { return }
            waiters.count -= 1
            if waiters.byFlow[subscription.flow]?.isEmpty == true { waiters.byFlow[subscription.flow] = nil }
            let left = waiters.byOwner[subscription.owner, default: 1] - 1
            waiters.byOwner[subscription.owner] = left > 0 ? left : nil
        }
    }

    func changed(_ flow: String) {
        for waiter in waiters.withLock({ $0.byFlow[flow].map { Array($0.values) } ?? [] }) {
            waiter.continuation.yield()
        }
    }

    func changedAll(of owner: Owner? = nil) {
        let all = waiters.withLock { $0.byFlow.values.flatMap(\.values) }
        for waiter in all where owner == nil || waiter.owner == owner { waiter.continuation.yield() }
    }
}
