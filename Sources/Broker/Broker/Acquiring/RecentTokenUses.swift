import Moments
import Synchronization

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
