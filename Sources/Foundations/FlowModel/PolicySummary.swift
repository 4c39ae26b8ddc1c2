/// A policy of the daemon, as reported to local callers.
public struct PolicySummary: Hashable, Sendable {
    /// The policy id, in lower case.
    public let policy: String
    /// The kind of policy, spelled as in policy files, for example `sign-up-or-sign-in`.
    public let kind: String
    /// The name that users see.
    public let displayName: String
    /// The issuer, whose metadata can be requested, or `nil` if the policy has none or it is known only after discovery.
    public let issuer: String?
    /// Whether the policy can be run.
    public let available: Bool
    /// A sentence that says which configuration the policy lacks, or `nil` if the policy can be run.
    public let missing: Text?
    /// The scopes that the policy can grant, as written in the policy file.
    public let scopes: [String]
    /// The external providers that users may sign in with.
    public let providers: [String]

    /// Whether an external authority runs the policy and issues its tokens.
    public var isOutside: Bool { kind == "outside" }

    /// Creates the summary of a policy.
    public init(
        policy: String,
        kind: String,
        displayName: String,
        issuer: String?,
        available: Bool,
        missing: Text? = nil,
        scopes: [String] = [],
        providers: [String] = []
    ) {
        self.policy = policy
        self.kind = kind
        self.displayName = displayName
        self.issuer = issuer
        self.available = available
        self.missing = missing
        self.scopes = scopes
        self.providers = providers
    }
}
