/// The source of an authority's name and keys.
public enum AuthoritySource: Hashable, Sendable {
    /// An authority of known name, whose keys are found by an issuer's metadata.
    case named(AuthorityName, at: KeyOrigin)
    /// An authority that describes itself, at the first of these sockets that exists.
    case followed([LocalSocket])

    /// True for an authority of this machine, reached over its socket.
    var isHere: Bool {
        switch self {
        case .named(_, .unixSocket), .followed: true
        case .named(_, .web): false
        }
    }
}

/// The socket of an authority on this machine, and the users that are trusted to listen there.
public struct LocalSocket: Hashable, Sendable {
    /// The socket's path.
    public let path: String
    /// The users that are trusted to listen there, beside root.
    public let uids: Set<UInt32>
    /// True if the owner of the socket's folder is trusted too: for a folder that only root can make.
    public let trustsFolder: Bool

    /// Makes a socket at which root and `uids` are trusted.
    public init(path: String, uids: Set<UInt32>, trustsFolder: Bool) {
        self.path = path
        self.uids = uids
        self.trustsFolder = trustsFolder
    }
}
