public import Systemd

/// An address at which the socket listens.
public enum SocketEndpoint: Hashable, Sendable {
    /// A socket that the service manager opened.
    case inherited(InheritedSocket)
    /// A path at which this process makes a socket, with the mode of its file.
    case path(String, mode: UInt32)
}
