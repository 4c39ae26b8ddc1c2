import FlowModel
import Logging
import Moments
import Synchronization

/// Tells programs of changes to the tokens and accounts of their uid, by comparing what the cache holds with what it
/// held.
///
/// It looks when the cache says that something of a uid has changed, and every few seconds for tokens that end; never
/// for a uid without a subscription.
final class TokenWatch: Sendable {
    /// Reads what the cache holds for a uid; nil while that is locked.
    typealias Read = @Sendable (_ uid: UInt32) throws -> TokenSnapshot?

    private struct Watched {
        var held: TokenSnapshot
        /// The tokens whose end was announced.
        var announced: Set<TokenSnapshot.Token> = []
        var subscriptions: [UInt64: Listener] = [:]
        /// True while one task looks; then another only asks it to look again.
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

    /// Begins to watch for a program; it ends with the value that is returned.
    ///
    /// - Parameters:
    ///   - uid: The program's uid.
    ///   - account: The only account that it asks about.
    /// - Returns: The subscription; nil if the uid's cache is locked.
    /// - Throws: The error that kept the cache from being read.
    func subscribe(uid: UInt32, account: String?) throws -> TokenSubscription? {
        guard let held = try read(uid) else { return nil }
        let now = clock.now
        return state.withLock { state in
            state.lastID += 1
            let id = state.lastID
            let subscription = TokenSubscription(account: account) { [weak self] in self?.end(uid, id) }
            // What ends soon already is for `token.list` to say.
            var watched = state.watched[uid] ?? Watched(held: held, announced: held.endingSoon(at: now))
            watched.subscriptions[id] = Listener(subscription: subscription)
            state.watched[uid] = watched
            return subscription
        }
    }

    /// The number of subscriptions of a uid.
    func count(uid: UInt32) -> Int { state.withLock { $0.watched[uid]?.subscriptions.count ?? 0 } }

    /// Looks at every uid that has a subscription, for tokens that end.
    func lookAtAll() {
        for uid in state.withLock({ Array($0.watched.keys) }) { look(uid) }
    }

    /// Looks at a uid, without letting the caller wait.
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
            logger.warning("subscribers were not told of changes", metadata: ["error": "\(error)"])
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
