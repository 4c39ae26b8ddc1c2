/// A policy of the daemon.
public struct PolicySummary: Hashable, Sendable {
    /// The id, in lower case.
    public let policy: String
    /// The kind as files spell it, for example `sign-up-or-sign-in`.
    public let kind: String
    /// The name to show.
    public let displayName: String
    /// `iss` of its tokens.
    public let issuer: String
    /// `true` if it can be run.
    public let available: Bool
    /// The configuration that is missing before it can be run, in one sentence.
    public let missing: Text?
    /// The scopes that it can grant, as its file names them.
    public let scopes: [String]
    /// The providers outside that people may sign in with.
    public let providers: [String]

    /// `true` if an outside authority runs it, so that its tokens are none of ours.
    public var isOutside: Bool { kind == "outside" }

    /// A policy.
    public init(
        policy: String,
        kind: String,
        displayName: String,
        issuer: String,
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
