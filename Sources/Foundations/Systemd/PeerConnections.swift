import Origins

/// Limits the connections to a Unix socket per uid, per user and in total.
///
/// The limit per user, which includes the user's subordinate uids, is a quarter of the total limit, but not less than
/// the limit per uid.
public struct PeerConnections: Hashable, Sendable {
    /// The default limit on simultaneous connections per uid.
    public static let perUID = 64

    /// The number of connections from all uids.
    public private(set) var total = 0
    private var counts: [UInt32: Int] = [:]
    private var users: [String: Int] = [:]
    /// The user of each uid with connections, which is determined at the first connection from the uid.
    private var owners: [UInt32: String] = [:]
    private let limitPerUID: Int
    private let limit: Int

    /// Creates a counter with a limit per uid and a total limit.
    public init(perUID: Int = PeerConnections.perUID, total: Int) {
        limitPerUID = perUID
        limit = total
    }

    /// Returns the number of connections from a uid.
    public func count(_ uid: UInt32) -> Int { counts[uid] ?? 0 }

    /// Counts a new connection and returns `true`, or returns `false` if a limit is reached.
    public mutating func enter(_ uid: UInt32) -> Bool {
        guard total < limit, count(uid) < limitPerUID else { return false }
        let user = owners[uid] ?? OriginLevels(uid: uid).widest
        guard users[user, default: 0] < max(SharedTotal(most: limit).mostOfLevel, limitPerUID) else { return false }
        total += 1
        counts[uid, default: 0] += 1
        users[user, default: 0] += 1
        owners[uid] = user
        return true
    }

    /// Stops counting one of the connections from a uid.
    public mutating func leave(_ uid: UInt32) {
        guard let count = counts[uid] else { return }
        total -= 1
        counts[uid] = count == 1 ? nil : count - 1
        guard let user = owners[uid] else { return }
        let left = users[user, default: 1] - 1
        users[user] = left > 0 ? left : nil
        if count == 1 { owners[uid] = nil }
    }
}
