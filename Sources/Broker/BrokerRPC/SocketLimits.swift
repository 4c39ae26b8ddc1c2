import BrokerAPI
public import Systemd

/// The limits of the socket.
public struct SocketLimits: Hashable, Sendable {
    /// The maximum number of concurrent connections per uid.
    public var connectionsPerUID = PeerConnections.perUID
    /// The maximum number of concurrent connections in total.
    public var connections = 1024
    /// The maximum number of requests per second from one uid.
    public var requestsPerSecondPerUID = 200_000
    /// The maximum number of bytes read from a connection before all other connections get their turn.
    public var bytesPerTurn = 4096
    /// The maximum number of requests in progress per connection.
    ///
    /// When this limit is reached, no more requests are read from the connection until one of them ends.
    public var inFlightPerConnection = 32
    /// The maximum number of requests in progress per uid, across all of its connections, including closed ones.
    public var inFlightPerUID = 512
    /// The maximum number of bytes of unread responses per connection: 4 MiB.
    ///
    /// Responses that exceed the limit are replaced by error 1013.
    public var unreadPerConnection = 4 * LineFramer.responseLimit
    /// The maximum number of bytes of unread responses per uid, across all of its connections: 32 MiB.
    public var unreadPerUID = 32 * LineFramer.responseLimit
    /// The maximum number of bytes of unread responses in total: 256 MiB.
    public var unread = 256 * LineFramer.responseLimit
    /// The number of bytes of unread responses that each uid may have even if the total limit is reached: 128 KiB.
    public var unreadGuaranteedPerUID = LineFramer.responseLimit / 8
    /// The minimum rate at which a peer must read its responses.
    public var pace = ReadingPace()
    /// How long a connection can stay open without a request.
    public var idleTimeout: Duration = .seconds(300)
    /// The maximum time from a line's first byte to its end.
    public var lineTimeout: Duration = .seconds(10)
    /// How long calls in progress can continue after the shutdown is announced.
    public var drainTimeout: Duration = .seconds(10)
    /// How long to wait for the first request on a connection made before the shutdown was announced.
    public var lastCallTimeout: Duration = .seconds(1)
    /// How long a peer can take to read its last responses before its connection is closed.
    public var closeTimeout: Duration = .seconds(10)
    /// The maximum number of cached responses in total.
    public var rememberedAnswers = 4096
    /// The maximum number of cached responses per uid.
    public var rememberedAnswersPerUID = 64
    /// The maximum length of a call's parameters, in bytes.
    ///
    /// Responses to calls with longer parameters are not cached.
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
