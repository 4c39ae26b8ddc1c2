/// Connections of each uid to a Unix socket, and of all uids together, with a limit for both.
///
/// One uid that takes all its places leaves those of the others.
public struct PeerConnections: Hashable, Sendable {
    /// Connections of one uid at a time, where a socket has no other limit.
    public static let perUID = 64

    /// Connections of all uids.
    public private(set) var total = 0
    private var counts: [UInt32: Int] = [:]
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
        total += 1
        counts[uid, default: 0] += 1
        return true
    }

    /// Counts one connection less of those that have entered.
    public mutating func leave(_ uid: UInt32) {
        guard let count = counts[uid] else { return }
        total -= 1
        counts[uid] = count == 1 ? nil : count - 1
    }
}
