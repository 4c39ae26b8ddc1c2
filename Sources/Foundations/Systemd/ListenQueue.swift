import Glibc

/// The queue of a listening socket: connections that wait to be accepted.
public enum ListenQueue {
    /// The most connections that wait at each of our sockets.
    public static let length: Int32 = 512

    /// Listens at a bound socket, or changes the queue of one that listens already (`listen(2)`).
    ///
    /// SwiftNIO gives a socket that it takes over a queue of 128, so a server opens its own again afterwards.
    ///
    /// - Throws: The failure of `listen(2)`.
    public static func open(on descriptor: Int32) throws(SystemError) {
        guard listen(descriptor, length) == 0 else { throw SystemError("listen", errno) }
    }
}
