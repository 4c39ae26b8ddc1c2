import BrokerAPI
public import Systemd

/// The limits of the socket; every number has its unit in its name or its description.
public struct SocketLimits: Hashable, Sendable {
    /// Connections of one uid at a time.
    public var connectionsPerUID = PeerConnections.perUID
    /// Connections of all uids at a time.
    public var connections = 1024
    /// Requests of one uid in a second.
    public var requestsPerSecondPerUID = 200_000
    /// The most bytes that are read of a connection before every other one has had its turn.
    public var bytesPerTurn = 4096
    /// Requests of one connection under way; beyond them nothing more is read from it.
    public var inFlightPerConnection = 32
    /// Requests of one uid under way, over all its connections, including closed ones.
    public var inFlightPerUID = 512
    /// Bytes of answers that a connection's peer has not taken; answers beyond are replaced by error 1013: 4 MiB.
    public var unreadPerConnection = 4 * LineFramer.responseLimit
    /// Bytes of answers that a uid's peers have not taken, over all its connections: 32 MiB.
    public var unreadPerUID = 32 * LineFramer.responseLimit
    /// Bytes of answers that the peers of all uids have not taken: 256 MiB.
    public var unread = 256 * LineFramer.responseLimit
    /// Bytes of answers that a uid's peers may leave in any case, however many those of others have left: 128 KiB.
    public var unreadGuaranteedPerUID = LineFramer.responseLimit / 8
    /// The pace at which a peer must take its answers.
    public var pace = ReadingPace()
    /// The time after which a connection without a request is closed.
    public var idleTimeout: Duration = .seconds(300)
    /// The time for a line from its first byte to its end.
    public var lineTimeout: Duration = .seconds(10)
    /// The time for calls under way after the end was announced.
    public var drainTimeout: Duration = .seconds(10)
    /// The time for the first request of a connection made before the end was announced.
    public var lastCallTimeout: Duration = .seconds(1)
    /// The time for a peer to read its last answers before its connection is closed.
    public var closeTimeout: Duration = .seconds(10)
    /// The greatest number of remembered answers.
    public var rememberedAnswers = 4096
    /// The greatest number of remembered answers of one uid.
    public var rememberedAnswersPerUID = 64
    /// The greatest length of parameters whose answer is remembered, in bytes.
    public var rememberedParams = 1024

    /// The limits of the contract.
    public init() {}

    /// The limits announced by `broker.hello`.
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
