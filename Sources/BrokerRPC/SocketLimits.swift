import JSONRPC

/// What the socket bounds; every number has its unit in its name or its description.
public struct SocketLimits: Hashable, Sendable {
    /// Connections of one uid at a time.
    public var connectionsPerUID = 64
    /// Connections of all uids at a time.
    public var connections = 1024
    /// Requests of one uid in a second.
    public var requestsPerSecondPerUID = 200_000
    /// Requests of one connection under way; then nothing more is read from it.
    public var inFlightPerConnection = 32
    /// Requests of one uid under way, over all connections, also those whose connection has gone.
    public var inFlightPerUID = 512
    /// How long a connection may stand without a request.
    public var idleTimeout: Duration = .seconds(300)
    /// How long a line may take from its first byte to its end.
    public var lineTimeout: Duration = .seconds(10)
    /// How long what is under way may take after the end was announced.
    public var drainTimeout: Duration = .seconds(10)
    /// How long who connected before the end was announced may take to ask for the first time.
    public var lastCallTimeout: Duration = .seconds(1)
    /// How long a peer may take to read its last answers before its connection is closed.
    public var closeTimeout: Duration = .seconds(10)
    /// Answers that are remembered as they were written.
    public var rememberedAnswers = 4096
    /// Answers that are remembered of one uid.
    public var rememberedAnswersPerUID = 64
    /// Bytes of parameters whose answer is remembered at most.
    public var rememberedParams = 1024
    /// Connections that the kernel keeps waiting.
    public var backlog: Int32 = 512

    /// The limits of the contract.
    public init() {}

    /// What clients are told by `broker.hello`.
    var announced: [String: Int64] {
        [
            "requestBytes": Int64(LineFramer.requestLimit), "responseBytes": Int64(LineFramer.responseLimit),
            "batch": Int64(JSONRPCInput.batchLimit), "connectionsPerUid": Int64(connectionsPerUID),
            "requestsPerSecondPerUid": Int64(requestsPerSecondPerUID),
            "inFlightPerConnection": Int64(inFlightPerConnection),
        ]
    }
}
