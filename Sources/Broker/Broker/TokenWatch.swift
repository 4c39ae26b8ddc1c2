import FlowModel
import Logging
import Moments
import Synchronization

/// Notifies programs of changes to their uid's tokens and accounts by comparing the cache with its previous state.
///
/// The cache is read after each change, and every few seconds to find tokens that are about to expire.
final class TokenWatch: Sendable {
    /// A function that returns a uid's cached tokens and accounts, or `nil` if the uid's cache is locked.
    typealias Read = @Sendable (_ uid: UInt32) throws -> TokenSnapshot?

    private struct Watched {
        var held: TokenSnapshot
        /// The tokens whose upcoming expiry has already been announced to the subscribers.
        var announced: Set<TokenSnapshot.Token> = []
        var subscriptions: [UInt64: Listener] = [:]
        /// Whether a task is reading the cache.
        var isLooking = false
        var mustLookAgain = false
    }

    private struct Listener {
        weak var subscription: TokenSubscription?
    }

    private struct State {
        var watched: [UInt32: Watched] = [:]
        var lastID: UInt64 = 0
    }

    private let state = Mutex(State())
    private let read: Read
    private let clock: MomentClock
    private let logger: Logger

    init(clock: MomentClock, logger: Logger, read: @escaping Read) {
        self.clock = clock
        self.logger = logger
        self.read = read
    }

    /// Subscribes a program until the returned object is released, or returns `nil` if the uid's cache is locked.
    func subscribe(uid: UInt32, account: String?) throws -> TokenSubscription? {
        guard let held = try read(uid) else { return nil }
        let now = clock.now
        return state.withLock { state in
            state.lastID += 1
            let id = state.lastID
            let subscription = TokenSubscription(account: account) { [weak self] in self?.end(uid, id) }
            // Do not announce tokens that are already about to expire. The program can list them with `token.list`.
            var watched = state.watched[uid] ?? Watched(held: held, announced: held.endingSoon(at: now))
            watched.subscriptions[id] = Listener(subscription: subscription)
            state.watched[uid] = watched
            return subscription
        }
    }

    func count(uid: UInt32) -> Int { state.withLock { $0.watched[uid]?.subscriptions.count ?? 0 } }

    func lookAtAll() {
        for uid in state.withLock({ Array($0.watched.keys) }) { look(uid) }
    }

    /// Starts to check a uid's tokens and accounts for changes, and returns immediately.
    func look(_ uid: UInt32) {
        let begins = state.withLock { state in
            guard var watched = state.watched[uid] else { return false }
            let begins = !watched.isLooking
            watched.isLooking = true
            watched.mustLookAgain = !begins
            state.watched[uid] = watched
            return begins
        }
        guard begins else { return }
        Task { repeat { tell(uid) } while looksAgain(uid) }
    }

    private func tell(_ uid: UInt32) {
        let now: TokenSnapshot
        do {
            guard let held = try read(uid) else { return }
            now = held
        } catch {
            logger.warning("subscribers were not notified of changes", metadata: ["error": "\(error)"])
            return
        }
        let time = clock.now
        let (events, subscriptions) = state.withLock { state in
            guard var watched = state.watched[uid] else { return ([TokenEvent](), [TokenSubscription]()) }
            let ending = now.endingSoon(at: time)
            let events =
                now.changes(since: watched.held, at: time)
                + ending.subtracting(watched.announced).map { .expiring($0.summary) }
            watched.held = now
            watched.announced = ending
            state.watched[uid] = watched
            return (events, watched.subscriptions.values.compactMap(\.subscription))
        }
        for subscription in subscriptions {
            for event in events { subscription.tell(event) }
        }
    }

    private func looksAgain(_ uid: UInt32) -> Bool {
        state.withLock { state in
            guard var watched = state.watched[uid] else { return false }
            let again = watched.mustLookAgain
            watched.mustLookAgain = false
            watched.isLooking = again
            state.watched[uid] = watched
            return again
        }
    }

    private func end(_ uid: UInt32, _ id: UInt64) {
        state.withLock { state in
            state.watched[uid]?.subscriptions[id] = nil
            if state.watched[uid]?.subscriptions.isEmpty == true { state.watched[uid] = nil }
        }
    }
}
