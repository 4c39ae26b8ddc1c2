/// What one HTTP server gives to its callers at most.
public struct HTTPLimits: Hashable, Sendable {
    /// Bytes of a request's body.
    public var body = 64 * 1024
    /// Bytes of one header field, and of all of them together.
    public var headers = 32 * 1024
    /// How many header fields a request may have.
    public var headerCount = 100
    /// Connections at a time on one listener; the next ones wait to be accepted.
    public var connections = 512
    /// How long a connection may be idle, and how long a request may take to arrive whole.
    public var idle: Duration = .seconds(30)
    /// How long a connection may still bring one request after the end was asked for.
    public var lastRequest: Duration = .seconds(1)

    /// The limits of a server that faces people and programs.
    public init() {}
}
