/// How a policy remembers who has signed in.
public struct SessionRule: Hashable, Sendable, Codable {
    /// Who may use a session without a question.
    public enum Scope: String, CaseIterable, Hashable, Sendable, Codable {
        /// Every policy and client of the tenant.
        case tenant
        /// The client that made it.
        case application
        /// The policy that made it.
        case policy
        /// Nobody.
        case none
    }

    /// What its lifetime is counted from.
    public enum Kind: String, CaseIterable, Hashable, Sendable, Codable {
        /// The last use.
        case rolling
        /// The sign-in.
        case absolute
    }

    /// Who may use a session without a question.
    public let scope: Scope
    /// What its lifetime is counted from.
    public let kind: Kind
    /// How long it lasts; 900 s to 86400 s.
    public let lifetime: Duration
    /// How many days a browser that was told to stay signed in does so; 0 is never.
    public let keepMeSignedInDays: Int
    /// Whether a sign-out in a browser must name the session by its ID token.
    public let requireIdTokenHintAtLogout: Bool

    /// A rule; what is left out has B2C's default.
    public init(
        scope: Scope = .tenant,
        kind: Kind = .rolling,
        lifetime: Duration = .seconds(86400),
        keepMeSignedInDays: Int = 0,
        requireIdTokenHintAtLogout: Bool = false
    ) {
        self.scope = scope
        self.kind = kind
        self.lifetime = lifetime
        self.keepMeSignedInDays = keepMeSignedInDays
        self.requireIdTokenHintAtLogout = requireIdTokenHintAtLogout
    }
}
