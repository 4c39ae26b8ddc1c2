public import Systemd

/// The limits of one HTTP server on its clients.
public struct HTTPLimits: Hashable, Sendable {
    /// The longest request body, in bytes.
    public var body = 64 * 1024
    /// The most bytes of one header field, and of all of them together.
    public var headers = 32 * 1024
    /// The most header fields of a request.
    public var headerCount = 100
    /// The most connections at a time on one listener; for one more, that gives way whose request is awaited longest.
    public var connections = 512
    /// The most connections at a time on one listener while requests of all others are being answered; further ones wait
    /// to be accepted.
    public var connectionsAnswered = 640
    /// The most connections of one uid at a time to the Unix sockets; those beyond are closed as they come.
    public var connectionsPerUID = PeerConnections.perUID
    /// The most bytes that are read of a connection before every other one has had its turn; a loop answers all requests in
    /// them before it looks at its other connections again.
    public var bytesPerTurn = 2048
    /// The time for which a connection may be idle, and in which a request must arrive whole.
    public var idle: Duration = .seconds(30)
    /// The pace at which a client must take its answers.
    public var pace = ReadingPace()
    /// The time after a shutdown began in which an open connection may still send one request.
    public var lastRequest: Duration = .seconds(1)

    /// Makes the standard limits.
    public init() {}
}
