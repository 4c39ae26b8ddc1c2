public import OAuth

/// The parameters of `flow.start`, which starts a flow that creates a session and returns no token.
public struct StartFlowRequest: Hashable, Sendable {
    /// The policy to run.
    public var policy: String
    /// The values with which nodes are prefilled, by node name.
    public var input: [String: JSONValue]
    /// The opaque id of the account whose user must complete the flow.
    public var account: String?
    /// The acceptable authentication contexts, or an empty array if any context is acceptable.
    public var acrValues: [String]
    /// The maximum age of the authentication, in seconds, or `nil` if any age is acceptable.
    public var maxAge: Int64?
    /// The place where the user is prompted, for example a browser on this machine.
    public var mode: AcquireRequest.Mode
    /// The daemon's loopback port to which an external authority redirects the browser, or 0 for any free port.
    public var loopbackPort: UInt16?
    /// The identity provider with which the user signs in.
    public var provider: String?
    /// The identity provider's tokens that sign the user in, by name, such as `id_token`.
    public var providerToken: [String: Secret]
    /// The caller's id for this request; another request with the same id within 120 s returns the same flow.
    public var requestID: String
    /// The caller's UUID for this call, or `nil` if a UUID is to be generated.
    public var correlationID: CorrelationID?

    /// Creates a request to run `policy` with default values for everything else.
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
