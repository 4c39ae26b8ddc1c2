public import Moments
import Synchronization
import TokenCache

/// The last use of an outside authority's token, as one uid asks for it: by that it is renewed ahead of time or left.
///
/// A class, so that an answer that is repeated notes its use without looking anything up.
public final class TokenUseRecord: Sendable, Hashable {
    /// The token that callers ask for.
    struct Asked: Hashable, Sendable {
        let uid: UInt32
        let account: String
        let policy: String
        let resource: String
        let scopes: [String]
    }

    private struct State {
        /// The moment of the last use.
        var last: Moment
        /// The time from which on the token is renewed.
        var due: Deadline
    }

    let asked: Asked
    private let state: Mutex<State>

    init(_ asked: Asked, at now: Moment, due: Deadline) {
        self.asked = asked
        state = Mutex(State(last: now, due: due))
    }

    /// Records that the token was given to a caller.
    public func note(at now: Moment) { state.withLock { $0.last = now } }

    /// Records the same of a token that is renewed from another time on.
    func note(at now: Moment, due: Deadline) {
        state.withLock { $0 = State(last: now, due: due) }
    }

    /// Sets the time from which on the token is renewed.
    func wait(until due: Deadline) { state.withLock { $0.due = due } }

    /// The time of the last use, in milliseconds since boot: no clock that is set puts one use before another.
    var last: Int64 { state.withLock { $0.last }.boot }

    /// True if the last use counts: by neither clock it is longer ago than `lately`.
    func isRecent(at now: Moment) -> Bool {
        let last = state.withLock { $0.last }
        return !Deadline(RecentTokenUses.lately, after: last).hasEnded(at: now)
    }

    /// True if the token was used since it came.
    func isSince(_ row: TokenRow) -> Bool {
        let last = state.withLock { $0.last }
        // Tokens of an earlier boot came before every use.
        guard let received = row.receivedAt, row.expires.bootID == last.bootID else { return true }
        let life = row.expires.wall - received
        return row.expires.boot - life <= last.boot
    }

    /// True from the time on at which the token is to be renewed.
    func isDue(at now: Moment) -> Bool { state.withLock { $0.due }.hasEnded(at: now) }

    /// True for the same record.
    public static func == (one: TokenUseRecord, other: TokenUseRecord) -> Bool { one === other }

    /// Hashes which record it is.
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
