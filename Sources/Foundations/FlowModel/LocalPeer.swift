/// The user and groups of a local process, as the kernel reports them for the process's connection.
public struct LocalPeer: Hashable, Sendable {
    /// The uid of the process.
    public let uid: UInt32
    /// The gids of the process's primary and supplementary groups.
    public let gids: [UInt32]

    /// Creates a peer from the uid and gids of a process.
    public init(uid: UInt32, gids: [UInt32]) {
        self.uid = uid
        self.gids = gids
    }
}

/// A rule that determines which local processes may use a confidential client over the socket.
public struct AllowedPeers: Hashable, Sendable {
    /// The allowed uids.
    public let uids: Set<UInt32>
    /// The allowed gids, compared with a process's primary and supplementary groups.
    public let gids: Set<UInt32>

    /// A rule that allows no process.
    public static let none = AllowedPeers(uids: [], gids: [])

    /// Creates a rule from uids and gids.
    public init(uids: Set<UInt32>, gids: Set<UInt32>) {
        self.uids = uids
        self.gids = gids
    }

    /// Whether the rule allows the peer's uid or at least one of its groups.
    public func contains(_ peer: LocalPeer) -> Bool {
        uids.contains(peer.uid) || peer.gids.contains(where: gids.contains)
    }
}
