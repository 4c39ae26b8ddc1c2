/// A description of an API, as returned to local callers.
///
/// The description covers either a local API or an external authority whose tokens may be sent to certain origins.
public struct APISummary: Hashable, Sendable {
    /// The API's name, which is the first part of `<api>/<scope>`.
    ///
    /// A token request can also specify this name as its `resource`.
    public let api: String
    /// The origins that this API's tokens may be sent to, in the form `https://host[:port]`.
    public let origins: [String]
    /// The names of the API's scopes.
    public let scopes: [String]
    /// The name of the external authority that issues the API's tokens, or `nil` for a local API.
    ///
    /// A token request specifies this name in place of a policy.
    public let policy: String?
    /// The ids of the policies that external authorities run.
    ///
    /// Tokens issued under these policies are never sent to a local API.
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
