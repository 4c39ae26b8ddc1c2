import Glibc

/// Other people of this machine, who may sit at a port and wait for tokens while the service that it is for is stopped.
extension TCPOwner {
    /// The person at the server's end of a connection within this machine, if that is neither the caller nor trusted.
    ///
    /// A connection that is not taken yet belongs to nobody; then those who listen at the port count, and it is looked at
    /// once more, because whoever takes it may stop to listen meanwhile.
    ///
    /// - Parameters:
    ///   - client: The caller's end.
    ///   - server: The other end.
    /// - Returns: The uid of that person; nil if there is none, or the server is not of this machine.
    public static func stranger(client: End, server: End) -> UInt32? {
        guard server.isLoopback else { return nil }
        if let owner = uid(client: server, server: client) { return isTrusted(owner) ? nil : owner }
        if let listener = stranger(listeningAt: server.port) { return listener }
        return uid(client: server, server: client).flatMap { isTrusted($0) ? nil : $0 }
    }

    /// A person who listens at a port of this machine and is neither the caller nor trusted; nil if there is none.
    public static func stranger(listeningAt port: UInt16) -> UInt32? {
        listeners(port: port).first { !isTrusted($0) }
    }

    /// True for oneself, root, and users that are no people: services, also those that systemd makes for a time.
    private static func isTrusted(_ uid: UInt32) -> Bool {
        uid == geteuid() || uid < 1000 || (61_184...65_519).contains(uid)
    }
}
