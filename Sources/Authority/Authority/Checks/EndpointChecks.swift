import FlowModel
import OAuth
import Policies

/// The checks that a request must pass before anything is given, in the order of their standards, and the endpoints that
/// make each.
///
/// A request passes the rows of its endpoint from top to bottom, and is answered by the first that it fails. A pushed request
/// is a program's first, and then checked as the authorization endpoint would (RFC 9126 §2.1).
enum EndpointChecks {
    private static let programs: Set<AuthorityEndpoint> = [
        .token, .pushedRequests, .deviceAuthorization, .revocation, .introspection,
    ]

    /// One line a check.
    static let table: [(check: any EndpointCheck, endpoints: Set<AuthorityEndpoint>)] = [
        // A program's request: the policy, the client, then what the endpoint asks for.
        (SingleParameterCheck(), programs),
        (IssuerCheck(), programs),
        (ClientProofCheck(), programs),
        (GrantTypeCheck(), [.token]),
        (ClientGrantTypeCheck(), [.token, .deviceAuthorization]),
        (ConfidentialClientCheck(), [.introspection]),
        (TokenParameterCheck(), [.revocation, .introspection]),
        (NestedRequestCheck(), [.pushedRequests]),
        (ScopeListCheck(), [.deviceAuthorization]),
        (SingleResourceCheck(), [.pushedRequests, .deviceAuthorization]),
        // Until these have passed, no error goes to a redirect URI (RFC 6749 §4.1.2.1).
        (NamedClientCheck(), [.authorize, .pushedRequests]),
        (RedirectURICheck(), [.authorize, .pushedRequests]),
        // An authorization request, whose answers its client gets.
        (ResponseModeCheck(), [.authorize, .pushedRequests]),
        (RepeatedParameterCheck(), [.authorize, .pushedRequests]),
        (ParameterLengthCheck(), [.authorize, .pushedRequests]),
        (StateCheck(), [.authorize, .pushedRequests]),
        (RequestObjectCheck(), [.authorize, .pushedRequests]),
        (ClientGrantCheck(), [.authorize, .pushedRequests]),
        (ResponseTypeCheck(), [.authorize, .pushedRequests]),
        (ProofKeyCheck(), [.authorize, .pushedRequests]),
        (ScopeParameterCheck(), [.authorize, .pushedRequests]),
        (PromptCheck(), [.authorize, .pushedRequests]),
        (MaxAgeParameterCheck(), [.authorize, .pushedRequests]),
        (AcrValuesParameterCheck(), [.authorize, .pushedRequests]),
        (ClaimsParameterCheck(), [.authorize, .pushedRequests]),
        (ResourceParameterCheck(), [.authorize, .pushedRequests]),
        (IDTokenHintCheck(), [.authorize, .pushedRequests]),
        (ClaimsSubjectCheck(), [.authorize, .pushedRequests]),
        (ResolutionCheck(), [.authorize, .pushedRequests]),
        // An access token that is shown.
        (PersonTokenCheck(), [.userinfo]),
        (OpenIDScopeCheck(), [.userinfo]),
        // A request to sign out.
        (LogoutParameterCheck(), [.logout]),
        (LogoutHintCheck(), [.logout]),
        (RequiredHintCheck(), [.logout]),
        (HintClientCheck(), [.logout]),
        (LogoutAddressCheck(), [.logout]),
    ]

    /// The rows of one kind that an endpoint makes.
    private static func rows<Kind>(_ kind: Kind.Type, _ endpoint: AuthorityEndpoint) -> [Kind] {
        table.filter { $0.endpoints.contains(endpoint) }.compactMap { $0.check as? Kind }
    }

    /// The rows about a program's request, by endpoint.
    static let ofPrograms: [AuthorityEndpoint: [any ProgramCheck]] = Dictionary(
        uniqueKeysWithValues: programs.map { ($0, rows((any ProgramCheck).self, $0)) }
    )
    /// The rows that prove where an authorization request is answered.
    static let ofAddresses = rows((any AddressCheck).self, .authorize)
    /// The rows about the parameters of an authorization request, by endpoint.
    static let ofParameters: [AuthorityEndpoint: [any ParameterCheck]] = Dictionary(
        uniqueKeysWithValues: [.authorize, .pushedRequests].map { ($0, rows((any ParameterCheck).self, $0)) }
    )
    /// The rows about an access token that is shown.
    static let ofBearers = rows((any BearerCheck).self, .userinfo)
    /// The rows about a request to sign out.
    static let ofLogout = rows((any LogoutCheck).self, .logout)
}

/// One condition that requests at an endpoint must meet; the first paragraph of its comment stands in `docs/authority.md`.
protocol EndpointCheck: Sendable {}

/// One condition that a program's request must meet (RFC 6749 §3.2).
protocol ProgramCheck: EndpointCheck {
    /// Refuses the request, or adds the findings to the draft.
    func apply(to draft: inout ProgramDraft) async throws
}

/// A program's request with the findings of the checks so far.
struct ProgramDraft {
    let request: ProgramRequest
    let endpoint: AuthorityEndpoint
    let authority: Authority
    var policy: Policy?
    var client: OAuthClient?
    var findings = ProgramFindings()

    init(request: ProgramRequest, endpoint: AuthorityEndpoint, authority: Authority) {
        self.request = request
        self.endpoint = endpoint
        self.authority = authority
        // Whoever asks for a device's code wants to use that grant (RFC 8628 §3.1).
        if endpoint == .deviceAuthorization { findings.grant = DeviceCodeGrant.self }
    }
}

/// The parameters that the checks of an endpoint have read.
struct ProgramFindings {
    /// The grant that the program wants to use.
    var grant: (any WireGrant.Type)?
    /// `token`, to be revoked or asked about; nil at endpoints that take none.
    var token: Secret?
    /// The scopes, as they were spelled.
    var scopes: [String] = []
    /// The API that the program asks a token for (RFC 8707); nil if it names none.
    var resource: String?
}

/// One condition that must be met before an error may go to a redirect URI (RFC 6749 §4.1.2.1).
protocol AddressCheck: EndpointCheck {
    /// Refuses the request on a page, or adds the findings to the draft.
    func apply(to draft: inout AddressDraft) throws(OAuthError)
}

/// An authorization request whose client and redirect URI are being proved.
struct AddressDraft {
    let form: Form
    let clients: [String: OAuthClient]
    var client: OAuthClient?
    var redirectURI: RedirectURI?
}

/// One condition that an access token must meet to be answered with claims (OpenID Connect Core §5.3).
protocol BearerCheck: EndpointCheck {
    /// Refuses the token.
    func apply(to token: LiveToken?) throws(OAuthError)
}

/// One condition that a request to sign out must meet (OpenID Connect RP-Initiated Logout §2).
protocol LogoutCheck: EndpointCheck {
    /// Refuses the request, or adds the findings to the draft.
    func apply(to draft: inout LogoutDraft) throws(OAuthError)
}

/// A request to sign out with the findings of the checks so far.
struct LogoutDraft {
    let form: Form
    /// True if the policy asks for a hint.
    let requiresHint: Bool
    let context: AuthorizationEndpoint.Context
    var hint: IDTokenHint?
    var client: OAuthClient?
    var location: String?
}
