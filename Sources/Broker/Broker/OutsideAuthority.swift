import FlowModel
public import OAuth
public import OpenIDClient
public import Policies
import TokenCache

/// An external authority.
///
/// The broker caches its tokens for users, as it does with tokens from the local authority.
public struct OutsideAuthority: Hashable, Sendable {
    /// The part of an authority that a request is for.
    enum Part: Hashable, Sendable {
        /// The whole authority, which does not have policies.
        case whole
        /// No part yet. The request must specify one of the policies.
        case policies(PolicyPlace)
        /// The policy with the given local name.
        case policy(String)
    }

    /// The grant that the broker uses to get tokens.
    public enum Grant: Hashable, Sendable {
        /// A user signs in at the authority (RFC 6749 §4.1).
        case authorizationCode
        /// The authority issues tokens to the broker as a service, without a user (RFC 6749 §4.4).
        case clientCredentials
        /// The authority exchanges a token that the local authority has issued for the caller's account (RFC 8693).
        case tokenExchange(Subject)
    }

    /// The token to exchange.
    public struct Subject: Hashable, Sendable {
        /// The scopes of the token, all from the same local API.
        public let scopes: [String]
        /// The name by which the external authority knows the local authority, or `nil` to omit it.
        public let issuer: String?

        /// Creates a description of the token to exchange.
        public init(scopes: [String], issuer: String? = nil) {
            self.scopes = scopes
            self.issuer = issuer
        }
    }

    /// The APIs that tokens can be requested for.
    public struct Resource: Hashable, Sendable {
        /// The API to use if a request does not specify one, or `nil` to omit the parameter.
        public let usual: String?
        /// The request parameter that specifies the API.
        public let parameter: ResourceParameter

        /// Creates a description of an authority's APIs.
        public init(usual: String? = nil, as parameter: ResourceParameter = .resource) {
            self.usual = usual
            self.parameter = parameter
        }
    }

    /// The authority, and how this client is registered there.
    ///
    /// Requests use the registration's name in place of a policy.
    public private(set) var registration: ProviderRegistration
    /// The scopes to request if a request does not specify any.
    public let scopes: [String]
    /// Additional scopes to request whenever the user is prompted anyway.
    public let additionalScopes: [String]
    /// The origins that the authority's tokens can be sent to, as `https://host[:port]`.
    public let origins: [String]
    /// The grant that the broker uses to get tokens from the authority.
    public let grant: Grant
    /// The uids that are allowed to use the authority, or `nil` for all uids.
    public let uids: Set<UInt32>?
    /// The APIs that tokens can be requested for.
    public let resource: Resource
    /// The registered loopback redirect URIs.
    ///
    /// A URI without a port allows any port.
    public let loopbackURIs: [LoopbackURI]
    /// Whether the authority redirects browsers to a URL that this daemon serves.
    public let returnsHere: Bool
    /// The part of the authority that a request is for.
    private(set) var part: Part

    /// Creates an external authority.
    ///
    /// If it has policies, its URLs contain placeholders for the policy names.
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

    /// Whether the tokens belong to the broker as a service, and not to a user's account.
    var isService: Bool {
        switch grant {
        case .clientCredentials: true
        case .authorizationCode, .tokenExchange: false
        }
    }

    /// Whether users sign in at the authority.
    var signsPeopleIn: Bool {
        switch grant {
        case .authorizationCode: true
        case .clientCredentials, .tokenExchange: false
        }
    }

    /// Returns the API to request, in the form that the authority requires, or `nil` to omit the parameter.
    func indicator(_ named: String?) -> ResourceIndicator? {
        (named ?? resource.usual).map { ResourceIndicator($0, as: resource.parameter) }
    }

    /// Whether a uid is allowed to use the authority.
    func serves(_ uid: UInt32) -> Bool { uids?.contains(uid) ?? true }

    /// Rejects a uid that is not allowed to use the authority.
    func permit(_ uid: UInt32) throws(Refusal) {
        guard serves(uid) else {
            throw Refusal(.notPermitted, Text("refusal.authorityNotForUser", ["authority": name]))
        }
    }

    /// The local name of the authority.
    var name: String { registration.name }

    /// The policy name under which the authority's tokens are stored.
    ///
    /// If the authority has no policies, this is the authority's name.
    var policy: String {
        switch part {
        case .whole, .policies: name
        case .policy(let id): id
        }
    }

    /// Returns the authority for one call.
    ///
    /// The call's correlation id is sent to the authority.
    func called(by caller: Caller) -> OutsideAuthority {
        var authority = self
        authority.registration = registration.called(by: caller.correlationID, for: try? caller.owner.cacheUID)
        return authority
    }

    /// Returns the authority for one of its policies, or `nil` if it does not have that policy.
    func running(_ policy: OutsidePolicy) -> OutsideAuthority? {
        guard case .policies(let place) = part else { return nil }
        let document = "/v2.0/.well-known/openid-configuration"
        let metadata =
            switch place {
            case .path: "\(registration.issuer)/\(policy.policy)\(document)"
            case .query: "\(registration.issuer)\(document)?p=\(policy.policy)"
            }
        var authority = self
        authority.registration = registration.running(policy.policy, metadata: metadata)
        authority.part = .policy(policy.id.description)
        return authority
    }
}

/// A user at an external authority.
///
/// The subject identifies the user only together with the issuer.
struct OutsidePerson: Hashable, Sendable {
    let subject: String
    let issuer: String

    init(subject: String, issuer: String) {
        self.subject = subject
        self.issuer = issuer
    }

    /// Reads the subject column of an account's row, or returns `nil` if it is malformed.
    init?(_ text: String) {
        guard let space = text.lastIndex(of: " ") else { return nil }
        self.init(subject: String(text[..<space]), issuer: String(text[text.index(after: space)...]))
    }

    /// The subject of a service.
    ///
    /// It cannot be a user's subject, because a user's subject is never empty.
    static let service = ""

    /// The value for the subject column of the account's row.
    ///
    /// It is unambiguous, because an issuer does not contain spaces.
    var text: String { "\(subject) \(issuer)" }
}

extension AccountRow {
    /// Whether the row holds a service's tokens and does not belong to a user's account.
    var isService: Bool { OutsidePerson(subject)?.subject == OutsidePerson.service }
}
