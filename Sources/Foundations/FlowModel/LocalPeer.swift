/// The user and the groups of a local process, as the kernel reports them for its connection.
public struct LocalPeer: Hashable, Sendable {
    /// The user.
    public let uid: UInt32
    /// The primary group and the supplementary groups.
    public let gids: [UInt32]

    /// Creates a peer of these credentials.
    public init(uid: UInt32, gids: [UInt32]) {
        self.uid = uid
        self.gids = gids
    }
}

/// The local processes that may use a confidential client at the socket: each has one of the users or one of the groups.
public struct AllowedPeers: Hashable, Sendable {
    /// The users.
    public let uids: Set<UInt32>
    /// The groups, of which one must be a primary or a supplementary group of the process.
    public let gids: Set<UInt32>

    /// No process.
    public static let none = AllowedPeers(uids: [], gids: [])

    /// Creates a rule of these users and groups.
    public init(uids: Set<UInt32>, gids: Set<UInt32>) {
        self.uids = uids
        self.gids = gids
    }

    /// Returns whether the rule names a user or a group of `peer`.
    public func contains(_ peer: LocalPeer) -> Bool {
        uids.contains(peer.uid) || peer.gids.contains(where: gids.contains)
    }
}
