/// A local API, or an external authority whose tokens may be sent to certain origins, as reported to local callers.
public struct APISummary: Hashable, Sendable {
    /// The API's name in `<api>/<scope>`, which a token request can also specify as its `resource`.
    public let api: String
    /// The origins that this API's tokens may be sent to, in the form `https://host[:port]`.
    public let origins: [String]
    /// The names of the API's scopes.
    public let scopes: [String]
    /// The external authority's name, which token requests specify in place of a policy, or `nil` for a local API.
    public let policy: String?
    /// The ids of the external authorities' policies; tokens issued under these policies are never sent to a local API.
    public var outsidePolicies: Set<String> = []
    /// The loopback ports that tokens may be sent to over http, regardless of which process is listening.
    public var trustedLoopback: Set<UInt16> = []

    /// Creates the summary of an API.
    public init(api: String, origins: [String], scopes: [String], policy: String? = nil) {
        self.api = api
        self.origins = origins
        self.scopes = scopes
        self.policy = policy
    }
}
