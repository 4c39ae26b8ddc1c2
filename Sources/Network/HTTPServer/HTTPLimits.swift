public import Systemd

/// The limits that an HTTP server applies to its clients.
public struct HTTPLimits: Hashable, Sendable {
    /// The maximum length of a request body, in bytes.
    public var body = 64 * 1024
    /// The maximum size of each header field, and of all header fields of a request together, in bytes.
    public var headers = 32 * 1024
    /// The maximum number of header fields in a request.
    public var headerCount = 100
    /// The number of connections per listener above which the connection that is idle for the longest time is closed.
    public var connections = 512
    /// The maximum number of connections per listener, above which new connections wait to be accepted.
    public var connectionsAnswered = 640
    /// The maximum number of Unix socket connections per uid, above which new connections are closed immediately.
    public var connectionsPerUID = PeerConnections.perUID
    /// The maximum number of bytes that an event loop processes from one connection before it serves others.
    public var bytesPerTurn = 2048
    /// The maximum time that a connection may be idle, and also the time limit for receiving a complete request.
    public var idle: Duration = .seconds(30)
    /// The minimum pace at which a client must read its responses.
    public var pace = ReadingPace()
    /// How long after the start of a shutdown a client can still send one more request on an open connection.
    public var lastRequest: Duration = .seconds(1)

    /// Creates the default limits.
    public init() {}
}
