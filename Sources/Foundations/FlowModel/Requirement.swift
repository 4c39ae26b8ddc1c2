/// The conditions that a flow must satisfy before the authority issues tokens for a request.
public struct Requirement: Hashable, Sendable, Codable {
    /// How a flow begins.
    public enum Entrance: String, Hashable, Sendable, Codable {
        /// The flow begins as defined by the kind of policy.
        case policy
        /// The flow begins with a sign-up, if the policy supports it.
        case create
    }

    /// The checks that are required in addition to the policy's sign-in, in order.
    public let checks: [String]
    /// The acceptable authentication contexts, or an empty array for any context.
    public let acrValues: [String]
    /// The maximum age of the authentication, in seconds, or `nil` for any age.
    public let maxAge: Int64?
    /// The required user, or `nil` for any user.
    public let user: RequiredUser?
    /// The consent that the user must give to a client.
    public let consent: ConsentRequest?
    /// How the flow begins.
    public let entrance: Entrance
    /// The id of an active session whose passed checks count towards the policy's sign-in.
    public let session: String?
    /// The credential change that the flow applies.
    public let change: CredentialChange?
    /// Whether an external provider must authenticate the user again despite an existing session (`nil` means no).
    public let asksAnew: Bool?

    /// The required authentication contexts and maximum age.
    public var demand: AuthenticationDemand { AuthenticationDemand(acrValues: acrValues, maxAge: maxAge) }

    /// Creates a requirement.
    ///
    /// By default, it has no conditions.
    public init(
        checks: [String] = [],
        acrValues: [String] = [],
        maxAge: Int64? = nil,
        user: RequiredUser? = nil,
        consent: ConsentRequest? = nil,
        entrance: Entrance = .policy,
        session: String? = nil,
        change: CredentialChange? = nil,
        asksAnew: Bool = false
    ) {
        self.checks = checks
        self.acrValues = acrValues
        self.maxAge = maxAge
        self.user = user
        self.consent = consent
        self.entrance = entrance
        self.session = session
        self.change = change
        self.asksAnew = asksAnew ? true : nil
    }
}

/// The user who must complete a flow.
public enum RequiredUser: Hashable, Sendable, Codable {
    case user(UserID)
    /// The user with this sign-in name.
    case signInName(String)
    /// Any user. The sign-in name is prefilled and may be changed.
    case hint(String)
}

/// A client's request to act for the user.
public struct ConsentRequest: Hashable, Sendable, Codable {
    /// The `client_id`.
    public let client: String
    /// The display name of the client.
    public let clientName: String
    /// The scopes, each with a description of what it allows.
    public let scopes: [ConsentScope]
    /// Whether to ignore the user's earlier consent (`nil` means no).
    public let asksAgain: Bool?

    /// Creates a consent request.
    public init(client: String, clientName: String, scopes: [ConsentScope], asksAgain: Bool = false) {
        self.client = client
        self.clientName = clientName
        self.scopes = scopes
        self.asksAgain = asksAgain
    }
}

/// A scope with a description of what it allows.
public struct ConsentScope: Hashable, Sendable, Codable {
    /// The scope, as `<api>/<scope>`.
    public let scope: String
    /// The human-readable description of what the scope allows.
    public let description: String

    /// Creates a scope with its description.
    public init(scope: String, description: String) {
        self.scope = scope
        self.description = description
    }
}
