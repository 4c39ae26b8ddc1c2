/// A protected API, or an external authority whose tokens may be sent to certain origins, as reported to local callers.
public struct APISummary: Hashable, Sendable {
    /// The name of the API: the first part of `<api>/<scope>`.
    ///
    /// Requests can also specify the name as `resource`.
    public let api: String
    /// The origins that tokens of this API may be sent to, as `https://host[:port]`.
    public let origins: [String]
    /// The names of the scopes.
    public let scopes: [String]
    /// The name of the external authority that issues the tokens, or `nil` for a local API.
    ///
    /// Requests specify this name in place of a policy name.
    public let policy: String?
    /// The local ids of the policies that external authorities run.
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
