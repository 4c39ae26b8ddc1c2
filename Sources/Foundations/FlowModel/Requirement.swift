/// The conditions that a flow must satisfy before the authority issues tokens for a request.
public struct Requirement: Hashable, Sendable, Codable {
    /// The ways in which a flow can begin.
    public enum Entrance: String, Hashable, Sendable, Codable {
        /// The flow begins as usual for its kind of policy.
        case policy
        /// The flow begins with a sign-up, if the policy supports sign-ups.
        case create
    }

    /// The checks that are required in addition to the policy's sign-in.
    public let checks: [String]
    /// The acceptable authentication contexts, or an empty array if any context is acceptable.
    public let acrValues: [String]
    /// The maximum age of the authentication, in seconds, or `nil` if any age is acceptable.
    public let maxAge: Int64?
    /// The user who must complete the flow, or `nil` if any user may complete the flow.
    public let user: RequiredUser?
    /// The consent that the user must give to a client, or `nil` if no consent is required.
    public let consent: ConsentRequest?
    /// The way in which the flow begins.
    public let entrance: Entrance
    /// The id of an active session whose passed checks count toward the policy's sign-in, or `nil` for no session.
    public let session: String?
    /// The credential change that the flow applies, or `nil` if the flow changes no credential.
    public let change: CredentialChange?
    /// Whether an external provider must authenticate the user again despite an existing sign-in (`nil` means `false`).
    public let asksAnew: Bool?

    /// The acceptable authentication contexts and the maximum age of the authentication.
    public var demand: AuthenticationDemand { AuthenticationDemand(acrValues: acrValues, maxAge: maxAge) }

    /// Creates a requirement, by default without conditions.
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

/// The user who is expected to complete a flow.
public enum RequiredUser: Hashable, Sendable, Codable {
    case user(UserID)
    case signInName(String)
    /// Any user, with a prefilled sign-in name that the user can change.
    case hint(String)
}

/// A client's request to act on behalf of the user.
public struct ConsentRequest: Hashable, Sendable, Codable {
    /// The client's `client_id`.
    public let client: String
    /// The display name of the client.
    public let clientName: String
    /// The requested scopes, each with a description of what the scope allows.
    public let scopes: [ConsentScope]
    /// Whether the user must consent even if the user has consented before (`nil` means `false`).
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
