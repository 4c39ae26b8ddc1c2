/// The proofs, their age, the person and the consent that a request lacks before tokens may be issued.
///
/// The authority names it; a flow meets it.
public struct Requirement: Hashable, Sendable, Codable {
    /// The ways in which a flow begins.
    public enum Entrance: String, Hashable, Sendable, Codable {
        /// As the kind of the policy says.
        case policy
        /// With making an account, where the policy can.
        case create
    }

    /// The checks that must be proved beside those the policy signs in with, in order.
    public let checks: [String]
    /// The authentication contexts of which one must be reached; empty means any.
    public let acrValues: [String]
    /// The greatest age of the proof of identity, in seconds.
    public let maxAge: Int64?
    /// The only person who may answer.
    public let user: RequiredUser?
    /// The consent that the person must give to a client.
    public let consent: ConsentRequest?
    /// The way in which the flow begins.
    public let entrance: Entrance
    /// The id of a live session whose proofs count towards the policy's sign-in, so that only the rest is asked.
    public let session: String?
    /// The change of a credential that the flow makes.
    public let change: CredentialChange?
    /// True if a provider outside has to ask the person again, though it knows them; nil for no.
    public let asksAnew: Bool?

    /// The contexts and the age that it asks of an authentication.
    public var demand: AuthenticationDemand { AuthenticationDemand(acrValues: acrValues, maxAge: maxAge) }

    /// A requirement; parameters left out ask for nothing.
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

/// The person who may answer a flow.
public enum RequiredUser: Hashable, Sendable, Codable {
    /// The person with this object id.
    case user(UserID)
    /// The person with this sign-in name.
    case signInName(String)
    /// Anybody; the name is filled in and may be changed.
    case hint(String)
}

/// A client that asks to act for the person.
public struct ConsentRequest: Hashable, Sendable, Codable {
    /// The client's id.
    public let client: String
    /// The name to show.
    public let clientName: String
    /// Each scope, with what it allows in words.
    public let scopes: [ConsentScope]
    /// True if a consent that the person gave before does not count.
    public let asksAgain: Bool?

    /// A client that asks to act for the person.
    public init(client: String, clientName: String, scopes: [ConsentScope], asksAgain: Bool = false) {
        self.client = client
        self.clientName = clientName
        self.scopes = scopes
        self.asksAgain = asksAgain
    }
}

/// A scope and what it allows.
public struct ConsentScope: Hashable, Sendable, Codable {
    /// `<api>/<scope>`.
    public let scope: String
    /// A sentence for people that describes what it allows.
    public let description: String

    /// A scope and what it allows.
    public init(scope: String, description: String) {
        self.scope = scope
        self.description = description
    }
}
