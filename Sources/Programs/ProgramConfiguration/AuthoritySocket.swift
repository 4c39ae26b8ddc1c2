/// A socket where `tasksd` looks for the authority of this machine.
public struct AuthoritySocket: Hashable, Sendable {
    /// The socket's path.
    public let path: String
    /// True if the owner of its folder, which only root makes, is trusted to listen there beside root and the own user.
    public let trustsFolder: Bool

    /// Makes a socket of a path.
    public init(path: String, trustsFolder: Bool = false) {
        self.path = path
        self.trustsFolder = trustsFolder
    }
}
