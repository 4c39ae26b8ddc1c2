import Glibc

/// Other users of this machine, who may listen at a port and wait for tokens while the service that it is for is stopped.
extension TCPOwner {
    /// A server of this machine that is not trusted.
    public enum Stranger: Hashable, Sendable {
        /// Another user's, who is neither root nor a service.
        case uid(UInt32)
        /// One whose user the kernel does not tell, such as a container's.
        case unknown
        /// No process listens at the port, so any local user can take it.
        case noListener
    }

    /// Returns the server's end of a connection within this machine if it is not trusted.
    ///
    /// A connection that is not accepted yet belongs to no process. Then all that listen at the port count, and the connection
    /// is looked up once more, because the process that accepts it may stop listening meanwhile.
    ///
    /// - Parameters:
    ///   - client: The caller's end.
    ///   - server: The other end.
    /// - Returns: The stranger; nil if the server is trusted, or not of this machine.
    public static func stranger(client: End, server: End) -> Stranger? {
        switch peer(client: server, server: client) {
        case .remote: return nil
        case .uid(let owner): return stranger(owner)
        case .unknown:
            switch stranger(listeningAt: server.port) {
            case nil: break
            // The connection is that of a process, which no longer listens, or never did on this machine.
            case .noListener: return .unknown
            case let listener: return listener
            }
            // Only a connection that still waits belongs to those who listen. What is not found may be hidden by its process.
            guard let socket = socket(client: server, server: client) else { return .unknown }
            return socket.inode == 0 ? nil : socket.owner.map(stranger) ?? .unknown
        }
    }

    /// Returns the user of an untrusted socket that listens at a port of this machine.
    ///
    /// - Parameter port: The port.
    /// - Returns: ``Stranger/noListener`` if no process listens there; nil if all that listen are trusted.
    public static func stranger(listeningAt port: UInt16) -> Stranger? {
        guard let listeners = listeners(port: port) else { return .unknown }
        guard !listeners.isEmpty else { return .noListener }
        return listeners.lazy.compactMap { listener in
            listener.owner.map(stranger) ?? .unknown
        }.first
    }

    /// Returns the user as a stranger; nil for the user of this process, root, and users that are no persons: services, also
    /// those that systemd makes for a time.
    public static func stranger(_ uid: UInt32) -> Stranger? {
        uid == geteuid() || uid < 1000 || (61_184...65_519).contains(uid) ? nil : .uid(uid)
    }
}
