import FlowModel
public import OAuth
public import OpenIDClient
public import Policies
import TokenCache

/// An external authority whose tokens the broker caches for users.
public struct OutsideAuthority: Hashable, Sendable {
    /// Whether the authority has policies, and which of them is selected.
    enum Part: Hashable, Sendable {
        case whole
        /// The authority has policies, and the request must specify one of them.
        case policies(PolicyPlace)
        case policy(String)
    }

    /// The grant that the broker uses to get tokens.
    public enum Grant: Hashable, Sendable {
        /// A user signs in at the authority (RFC 6749 §4.1).
        case authorizationCode
        /// The authority issues tokens to the broker's own client, without a user (RFC 6749 §4.4).
        case clientCredentials
        /// The authority exchanges a local token of the caller's account for one of its own tokens (RFC 8693).
        case tokenExchange(Subject)
    }

    /// The local token that the broker exchanges for a token of an external authority.
    public struct Subject: Hashable, Sendable {
        /// The scopes of the local token, which all belong to the same local API.
        public let scopes: [String]
        /// The name by which the external authority knows the local authority, or `nil` to omit the name.
        public let issuer: String?

        /// Creates a description of the local token to exchange.
        public init(scopes: [String], issuer: String? = nil) {
            self.scopes = scopes
            self.issuer = issuer
        }
    }

    /// How requests to the authority specify the API that a token is for.
    public struct Resource: Hashable, Sendable {
        /// The API to use if the caller does not specify one, or `nil` to omit the parameter.
        public let usual: String?
        /// The request parameter that specifies the API.
        public let parameter: ResourceParameter

        /// Creates a description of how requests specify the API.
        public init(usual: String? = nil, as parameter: ResourceParameter = .resource) {
            self.usual = usual
            self.parameter = parameter
        }
    }

    /// The broker's client registration at the authority, whose name callers specify in place of a policy.
    public private(set) var registration: ProviderRegistration
    /// The scopes to request if the caller does not specify any.
    public let scopes: [String]
    /// The additional scopes to request if the user must be prompted anyway.
    public let additionalScopes: [String]
    /// The origins that the authority's tokens can be sent to, as `https://host[:port]`.
    public let origins: [String]
    /// The grant that the broker uses to get tokens from the authority.
    public let grant: Grant
    /// The uids that are allowed to use the authority, or `nil` for all uids.
    public let uids: Set<UInt32>?
    /// How requests to the authority specify the API that a token is for.
    public let resource: Resource
    /// The registered loopback redirect URIs, of which those without a port allow any port.
    public let loopbackURIs: [LoopbackURI]
    /// Whether the authority redirects browsers to a URL that this daemon serves.
    public let returnsHere: Bool
    private(set) var part: Part

    /// Creates an external authority, which has policies if `policyIn` specifies the policy name's place in its URLs.
    public init(
        registration: ProviderRegistration,
        scopes: [String] = [],
        additionalScopes: [String] = [],
        origins: [String] = [],
        policyIn: PolicyPlace? = nil,
        grant: Grant = .authorizationCode,
        uids: Set<UInt32>? = nil,
        resource: Resource = Resource(),
        loopbackURIs: [LoopbackURI] = [.usual],
        returnsHere: Bool = true
    ) {
        self.registration = registration
        self.scopes = scopes
        self.additionalScopes = additionalScopes
        self.origins = origins
        self.grant = grant
        self.uids = uids
        self.resource = resource
        self.loopbackURIs = loopbackURIs
        self.returnsHere = returnsHere
        part = policyIn.map { .policies($0) } ?? .whole
    }

    var isService: Bool {
        switch grant {
        case .clientCredentials: true
        case .authorizationCode, .tokenExchange: false
        }
    }

    var signsPeopleIn: Bool {
        switch grant {
        case .authorizationCode: true
        case .clientCredentials, .tokenExchange: false
        }
    }

    /// Returns the request parameter for the API `named`, or for the default API if `named` is `nil`.
    func indicator(_ named: String?) -> ResourceIndicator? {
        (named ?? resource.usual).map { ResourceIndicator($0, as: resource.parameter) }
    }

    func serves(_ uid: UInt32) -> Bool { uids?.contains(uid) ?? true }

    func permit(_ uid: UInt32) throws(Refusal) {
        guard serves(uid) else {
            throw Refusal(.notPermitted, Text("refusal.authorityNotForUser", ["authority": name]))
        }
    }

    var name: String { registration.name }

    /// The policy name under which the tokens are stored, or the authority's name if it has no policies.
    var policy: String {
        switch part {
        case .whole, .policies: name
        case .policy(let id): id
        }
    }

    /// Returns a copy of this authority that adds the caller's correlation id to requests to the authority.
    func called(by caller: Caller) -> OutsideAuthority {
        var authority = self
        authority.registration = registration.called(by: caller.correlationID, for: try? caller.owner.cacheUID)
        return authority
    }

    /// Returns the issuer of a policy, or `nil` if the issuer's address does not determine that of the metadata.
    func issuer(running policy: OutsidePolicy) -> String? {
        switch part {
        case .policies(.path): "\(registration.issuer)/\(policy.policy)/v2.0"
        case .policies(.query), .whole, .policy: nil
        }
    }

    func running(_ policy: OutsidePolicy) -> OutsideAuthority? {
        guard case .policies = part else { return nil }
        let document = "/.well-known/openid-configuration"
        let metadata =
            issuer(running: policy).map { $0 + document }
            ?? "\(registration.issuer)/v2.0\(document)?p=\(policy.policy)"
        var authority = self
        authority.registration = registration.running(policy.policy, metadata: metadata)
        authority.part = .policy(policy.id.description)
        return authority
    }
}

/// A user at an external authority, identified by the subject together with the issuer.
struct OutsidePerson: Hashable, Sendable {
    let subject: String
    let issuer: String

    init(subject: String, issuer: String) {
        self.subject = subject
        self.issuer = issuer
    }

    /// Reads the subject column of an account's row, or returns `nil` if the text is malformed.
    init?(_ text: String) {
        guard let space = text.lastIndex(of: " ") else { return nil }
        self.init(subject: String(text[..<space]), issuer: String(text[text.index(after: space)...]))
    }

    /// The subject of a service, which no user has, because users' subjects are never empty.
    static let service = ""

    /// The value for the subject column of an account's row, unambiguous because issuers contain no spaces.
    var text: String { "\(subject) \(issuer)" }
}

extension AccountRow {
    var isService: Bool { OutsidePerson(subject)?.subject == OutsidePerson.service }
}
