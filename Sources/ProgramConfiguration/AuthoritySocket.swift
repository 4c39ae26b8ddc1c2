/// A socket where `tasksd` looks for the authority of this machine.
public struct AuthoritySocket: Hashable, Sendable {
    /// The socket's path.
    public let path: String
    /// Whether the owner of its folder may listen there, beside root and the own user: only root makes that folder.
    public let trustsFolder: Bool

    /// A socket at a path.
    public init(path: String, trustsFolder: Bool = false) {
        self.path = path
        self.trustsFolder = trustsFolder
    }
}
