import BrokerAPI
public import Systemd

/// The limits that the socket enforces for connections, requests and responses.
public struct SocketLimits: Hashable, Sendable {
    /// The maximum number of concurrent connections per uid.
    public var connectionsPerUID = PeerConnections.perUID
    /// The maximum number of concurrent connections in total.
    public var connections = 1024
    /// The maximum number of requests per second from one uid.
    public var requestsPerSecondPerUID = 200_000
    /// The maximum number of bytes to read from one connection before the other connections get their turn.
    public var bytesPerTurn = 4096
    /// The maximum number of requests in progress per connection, at which no more requests are read from it.
    public var inFlightPerConnection = 32
    /// The maximum number of requests in progress per uid, across all of its connections, including closed connections.
    public var inFlightPerUID = 512
    /// The maximum number of bytes of unread responses per connection, 4 MiB; error 1013 replaces further responses.
    public var unreadPerConnection = 4 * LineFramer.responseLimit
    /// The maximum number of bytes of unread responses per uid, across all of its connections: 32 MiB.
    public var unreadPerUID = 32 * LineFramer.responseLimit
    /// The maximum number of bytes of unread responses in total: 256 MiB.
    public var unread = 256 * LineFramer.responseLimit
    /// The number of bytes of unread responses that each uid may have even if the total limit is reached: 128 KiB.
    public var unreadGuaranteedPerUID = LineFramer.responseLimit / 8
    /// The minimum rate at which a peer must read its responses.
    public var pace = ReadingPace()
    /// How long a connection without a subscription can be idle before it is closed.
    public var idleTimeout: Duration = .seconds(300)
    /// The maximum time between the first byte and the end of a request line.
    public var lineTimeout: Duration = .seconds(10)
    /// How long calls in progress can continue after the shutdown begins.
    public var drainTimeout: Duration = .seconds(10)
    /// How long the shutdown waits for the first request on each connection that has not sent a request yet.
    public var lastCallTimeout: Duration = .seconds(1)
    /// How long a peer can take to read its last responses before its connection is closed.
    public var closeTimeout: Duration = .seconds(10)
    /// The maximum number of cached responses in total.
    public var rememberedAnswers = 4096
    /// The maximum number of cached responses per uid.
    public var rememberedAnswersPerUID = 64
    /// The maximum length, in bytes, of the parameters of a call whose response is cached.
    public var rememberedParams = 1024

    /// Creates limits with the default values.
    public init() {}

    /// The limits that `broker.hello` reports.
    var announced: [String: Int64] {
        [
            "requestBytes": Int64(LineFramer.requestLimit), "responseBytes": Int64(LineFramer.responseLimit),
            "batch": Int64(JSONRPCInput.batchLimit), "connectionsPerUid": Int64(connectionsPerUID),
            "requestsPerSecondPerUid": Int64(requestsPerSecondPerUID),
            "inFlightPerConnection": Int64(inFlightPerConnection),
            "unreadBytesPerConnection": Int64(unreadPerConnection),
        ]
    }
}
