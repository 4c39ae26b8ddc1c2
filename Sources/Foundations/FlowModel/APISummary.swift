/// A protected API, or an outside authority whose tokens may be sent somewhere, as the callers of the socket see it.
public struct APISummary: Hashable, Sendable {
    /// Its name, the first part of `<api>/<scope>`; `resource` of a request may be it.
    public let api: String
    /// The origins that its tokens may be sent to, as `https://host[:port]`.
    public let origins: [String]
    /// Its scopes.
    public let scopes: [String]
    /// The outside authority whose tokens go there, which stands where a policy is named; nil for an API of ours.
    public let policy: String?
    /// The policies of outside authorities that have names like ours: none of their tokens goes to an API of ours.
    public var outsidePolicies: Set<String> = []
    /// The ports of this machine that tokens may be sent to over http, whatever listens there.
    public var trustedLoopback: Set<UInt16> = []

    /// An API.
    public init(api: String, origins: [String], scopes: [String], policy: String? = nil) {
        self.api = api
        self.origins = origins
        self.scopes = scopes
        self.policy = policy
    }
}
