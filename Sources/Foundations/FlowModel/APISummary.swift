/// A description of an API, as returned to local callers.
///
/// This is either a protected API or an external authority whose tokens may be sent to certain origins.
public struct APISummary: Hashable, Sendable {
    /// The API's name, which is the first part of `<api>/<scope>`.
    ///
    /// Requests can also specify it as `resource`.
    public let api: String
    /// The origins to which this API's tokens may be sent, as `https://host[:port]`.
    public let origins: [String]
    /// The names of the scopes.
    public let scopes: [String]
    /// The external authority that issues the API's tokens, or `nil` for a local API.
    ///
    /// Requests specify the authority in place of a policy.
    public let policy: String?
    /// The local ids of policies that are handled by external authorities.
    ///
    /// Tokens issued under these policies are never sent to a local API.
    public var outsidePolicies: Set<String> = []
    /// The loopback ports that tokens may be sent to over http, regardless of which process is listening on them.
    public var trustedLoopback: Set<UInt16> = []

    /// Creates the summary of an API.
    public init(api: String, origins: [String], scopes: [String], policy: String? = nil) {
        self.api = api
        self.origins = origins
        self.scopes = scopes
        self.policy = policy
    }
}
