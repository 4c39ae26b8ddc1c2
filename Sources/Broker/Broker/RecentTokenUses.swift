public import Moments
import Synchronization
import TokenCache

/// The outside authorities' tokens that callers were given lately, in memory only.
///
/// After a restart nothing is renewed ahead of time until it is used again.
final class RecentTokenUses: Sendable {
    /// The time for which a use counts: an hour, the life that authorities usually give a token.
    ///
    /// Tokens that nobody asked for in a whole life are let end, so that an authority does not take a person for present who has
    /// gone.
    static let lately: Duration = .seconds(3600)
    /// The most tokens of one uid; the one used longest ago makes room.
    static let perUID = 32
    /// The most tokens of all uids.
    static let limit = 1_024

    private let uses = Mutex<[TokenUseRecord.Asked: TokenUseRecord]>([:])

    /// Records that a token was given to a caller.
    ///
    /// - Parameters:
    ///   - asked: The token as it was asked for.
    ///   - due: The time from which on it is to be renewed.
    ///   - now: The time.
    /// - Returns: The record, for uses that follow.
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

    /// The tokens that were used lately and are to be renewed now, the one used last first.
    func due(at now: Moment) -> [TokenUseRecord] {
        uses.withLock { uses in
            uses.values.filter { $0.isRecent(at: now) && $0.isDue(at: now) }
                .sorted { $0.last > $1.last }
        }
    }

    /// Forgets a token, which is not to be renewed until it is used again.
    func forget(_ use: TokenUseRecord) { uses.withLock { $0[use.asked] = nil } }

    /// The number of tokens that are remembered.
    var count: Int { uses.withLock { $0.count } }
}

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
