/// The way to an authority's name and keys.
public enum AuthoritySource: Hashable, Sendable {
    /// The name is known; the keys are found by an issuer's metadata.
    case named(AuthorityName, at: KeyOrigin)
    /// The authority says both itself, at the first of these sockets that is there.
    case followed([LocalSocket])
}

/// The socket of an authority on this machine, and the users whose word counts there.
public struct LocalSocket: Hashable, Sendable {
    /// The socket's path.
    public let path: String
    /// The users that may listen there, beside root.
    public let uids: Set<UInt32>
    /// Whether the owner of the socket's folder may listen there, too: for a folder that only root can make.
    public let trustsFolder: Bool

    /// A socket that root and `uids` may listen at.
    public init(path: String, uids: Set<UInt32>, trustsFolder: Bool) {
        self.path = path
        self.uids = uids
        self.trustsFolder = trustsFolder
    }
}
