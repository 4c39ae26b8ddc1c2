public import Moments
import Synchronization
import TokenCache

/// The external authorities' tokens that callers have recently used, in memory only.
///
/// After a restart, no token is renewed ahead of time until it is used again.
final class RecentTokenUses: Sendable {
    /// How long after its last use a token counts as recently used: one hour, the usual lifetime of a token.
    ///
    /// A token that was not requested for a whole lifetime is allowed to expire. Otherwise, an absent user would look
    /// present to the authority.
    static let lately: Duration = .seconds(3600)
    /// The maximum number of tokens per uid.
    ///
    /// If there are more, the least recently used token is dropped.
    static let perUID = 32
    /// The maximum number of tokens of all uids together.
    static let limit = 1_024

    private let uses = Mutex<[TokenUseRecord.Asked: TokenUseRecord]>([:])

    /// Records that a token was returned to a caller.
    ///
    /// - Parameters:
    ///   - asked: The token that was requested.
    ///   - due: When to start renewing it ahead of time.
    ///   - now: The current time.
    /// - Returns: The record, for recording later uses.
    func note(_ asked: TokenUseRecord.Asked, due: Deadline, at now: Moment) -> TokenUseRecord {
        uses.withLock { uses in
            if let use = uses[asked] {
                use.note(at: now, due: due)
                return use
            }
            let own = uses.values.filter { $0.asked.uid == asked.uid }
            if own.count >= Self.perUID {
                own.min { $0.last < $1.last }.map { uses[$0.asked] = nil }
            } else if uses.count >= Self.limit {
                uses.values.min { $0.last < $1.last }.map { uses[$0.asked] = nil }
            }
            let use = TokenUseRecord(asked, at: now, due: due)
            uses[asked] = use
            return use
        }
    }

    /// Returns the tokens that were recently used and are now due for renewal, most recently used first.
    func due(at now: Moment) -> [TokenUseRecord] {
        uses.withLock { uses in
            uses.values.filter { $0.isRecent(at: now) && $0.isDue(at: now) }
                .sorted { $0.last > $1.last }
        }
    }

    /// Removes a token.
    ///
    /// It is not renewed ahead of time until it is used again.
    func forget(_ use: TokenUseRecord) { uses.withLock { $0[use.asked] = nil } }

    /// The number of tokens in memory.
    var count: Int { uses.withLock { $0.count } }
}

/// When a uid last used a particular token from an external authority.
///
/// The time determines whether the token is renewed ahead of time. This is a class, so that a use can be recorded
/// without a lookup when a response is reused.
public final class TokenUseRecord: Sendable, Hashable {
    /// The token that callers request.
    struct Asked: Hashable, Sendable {
        let uid: UInt32
        let account: String
        let policy: String
        let resource: String
        let scopes: [String]
    }

    private struct State {
        /// When the token was last used.
        var last: Moment
        /// When to start renewing the token ahead of time.
        var due: Deadline
    }

    let asked: Asked
    private let state: Mutex<State>

    init(_ asked: Asked, at now: Moment, due: Deadline) {
        self.asked = asked
        state = Mutex(State(last: now, due: due))
    }

    /// Records that the token was returned to a caller.
    public func note(at now: Moment) { state.withLock { $0.last = now } }

    /// Records that the token was returned to a caller, and sets when to start renewing it.
    func note(at now: Moment, due: Deadline) {
        state.withLock { $0 = State(last: now, due: due) }
    }

    /// Sets when to start renewing the token.
    func wait(until due: Deadline) { state.withLock { $0.due = due } }

    /// When the token was last used, in milliseconds since boot.
    ///
    /// Setting the clock does not affect the order of uses.
    var last: Int64 { state.withLock { $0.last }.boot }

    /// Whether the last use is recent: less than `lately` ago on both clocks.
    func isRecent(at now: Moment) -> Bool {
        let last = state.withLock { $0.last }
        return !Deadline(RecentTokenUses.lately, after: last).hasEnded(at: now)
    }

    /// Whether the token has been used since it was issued.
    func isSince(_ row: TokenRow) -> Bool {
        let last = state.withLock { $0.last }
        // Tokens from a previous boot were issued before any use.
        guard let received = row.receivedAt, row.expires.bootID == last.bootID else { return true }
        let life = row.expires.wall - received
        return row.expires.boot - life <= last.boot
    }

    /// Whether the token is due for renewal.
    func isDue(at now: Moment) -> Bool { state.withLock { $0.due }.hasEnded(at: now) }

    /// Whether both are the same object.
    public static func == (one: TokenUseRecord, other: TokenUseRecord) -> Bool { one === other }

    /// Hashes the identity of the object.
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
