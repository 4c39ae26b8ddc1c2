public import OAuth

/// The parameters of `flow.start`: a flow that leaves a session and gives no token.
public struct StartFlowRequest: Hashable, Sendable {
    /// The policy to run.
    public var policy: String
    /// Values to fill in beforehand, by the name of the node.
    public var input: [String: JSONValue]
    /// The account that must answer, by its opaque id.
    public var account: String?
    /// The authentication contexts of which one must be reached.
    public var acrValues: [String]
    /// The greatest age of the proof of identity, in seconds.
    public var maxAge: Int64?
    /// The place at which a person is asked.
    public var mode: AcquireRequest.Mode
    /// At outside authorities, the daemon's port on loopback to which the browser comes back; 0 for any that serves.
    public var loopbackPort: UInt16?
    /// A provider to go to.
    public var provider: String?
    /// A provider's own token.
    public var providerToken: [String: Secret]
    /// The caller's name for this request; the same one within 120 s gives the same flow.
    public var requestID: String
    /// The caller's UUID for this call; one is made if it is nil.
    public var correlationID: CorrelationID?

    /// A flow of `policy` with everything else at its default.
    public init(
        policy: String,
        input: [String: JSONValue] = [:],
        account: String? = nil,
        acrValues: [String] = [],
        maxAge: Int64? = nil,
        mode: AcquireRequest.Mode = .native,
        loopbackPort: UInt16? = nil,
        provider: String? = nil,
        providerToken: [String: Secret] = [:],
        requestID: String,
        correlationID: CorrelationID? = nil
    ) {
        self.policy = policy
        self.input = input
        self.account = account
        self.acrValues = acrValues
        self.maxAge = maxAge
        self.mode = mode
        self.loopbackPort = loopbackPort
        self.provider = provider
        self.providerToken = providerToken
        self.requestID = requestID
        self.correlationID = correlationID
    }
}
