import Origins

/// Connections of each uid to a Unix socket, of each user with all subordinate uids, and of all uids together.
///
/// A uid that has as many as it may leaves those of the others, and a user has a quarter of all at most, or as many as one uid may
/// have if that is more.
public struct PeerConnections: Hashable, Sendable {
    /// Connections of one uid at a time, where a socket has no other limit.
    public static let perUID = 64

    /// Connections of all uids.
    public private(set) var total = 0
    private var counts: [UInt32: Int] = [:]
    private var users: [String: Int] = [:]
    /// The user to whom each connected uid belonged when it connected first.
    private var owners: [UInt32: String] = [:]
    private let limitPerUID: Int
    private let limit: Int

    /// Room for `total` connections, and for `perUID` of one uid.
    public init(perUID: Int = PeerConnections.perUID, total: Int) {
        limitPerUID = perUID
        limit = total
    }

    /// Connections of one uid.
    public func count(_ uid: UInt32) -> Int { counts[uid] ?? 0 }

    /// Counts one more connection.
    ///
    /// - Returns: True if there is room for it; otherwise nothing is counted.
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

    /// Counts one connection less of those that have entered.
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
