public import Moments
import Synchronization
import TokenCache

/// The tokens from external authorities that callers have recently used, stored only in memory.
final class RecentTokenUses: Sendable {
    /// How long after its last use a token counts as recently used.
    ///
    /// Other tokens expire, so that an absent user does not appear to be active at the authority.
    static let lately: Duration = .seconds(3600)
    /// The maximum number of tokens per uid, beyond which the least recently used token is dropped.
    static let perUID = 32
    /// The maximum number of tokens across all uids.
    static let limit = 1_024

    private let uses = Mutex<[TokenUseRecord.Asked: TokenUseRecord]>([:])

    /// Records that a token that can be renewed from `due` was returned, and returns the record for later uses.
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

    func due(at now: Moment) -> [TokenUseRecord] {
        uses.withLock { uses in
            uses.values.filter { $0.isRecent(at: now) && $0.isDue(at: now) }
                .sorted { $0.last > $1.last }
        }
    }

    /// Removes a token, so that it is not renewed ahead of time until it is used again.
    func forget(_ use: TokenUseRecord) { uses.withLock { $0[use.asked] = nil } }

    var count: Int { uses.withLock { $0.count } }
}

/// The record of a uid's last use of a token, which is a class so that noting a reuse needs no lookup.
public final class TokenUseRecord: Sendable, Hashable {
    struct Asked: Hashable, Sendable {
        let uid: UInt32
        let account: String
        let policy: String
        let resource: String
        let scopes: [String]
    }

    private struct State {
        var last: Moment
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

    func note(at now: Moment, due: Deadline) {
        state.withLock { $0 = State(last: now, due: due) }
    }

    func wait(until due: Deadline) { state.withLock { $0.due = due } }

    /// When the token was last used, in milliseconds since boot, which do not change if the clock is set.
    var last: Int64 { state.withLock { $0.last }.boot }

    /// Whether the last use was less than ``RecentTokenUses/lately`` ago by the wall clock and the time since boot.
    func isRecent(at now: Moment) -> Bool {
        let last = state.withLock { $0.last }
        return !Deadline(RecentTokenUses.lately, after: last).hasEnded(at: now)
    }

    func isSince(_ row: TokenRow) -> Bool {
        let last = state.withLock { $0.last }
        // A token from a previous boot was issued before the last use, because uses are stored only in memory.
        guard let received = row.receivedAt, row.expires.bootID == last.bootID else { return true }
        let life = row.expires.wall - received
        return row.expires.boot - life <= last.boot
    }

    func isDue(at now: Moment) -> Bool { state.withLock { $0.due }.hasEnded(at: now) }

    /// Whether both records are the same object.
    public static func == (one: TokenUseRecord, other: TokenUseRecord) -> Bool { one === other }

    /// Hashes the identity of the record.
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
