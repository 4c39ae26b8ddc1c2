import FlowModel
public import OAuth
public import OpenIDClient
public import Policies
import TokenCache

/// An outside authority, whose tokens are kept here for people like ours.
public struct OutsideAuthority: Hashable, Sendable {
    /// The part of an authority that a request runs.
    enum Part: Hashable, Sendable {
        /// The authority, which has no policies.
        case whole
        /// None yet: one of its policies must be named.
        case policies(PolicyPlace)
        /// The policy of this name here.
        case policy(String)
    }

    /// The grant by which its tokens come.
    public enum Grant: Hashable, Sendable {
        /// A person signs in there (RFC 6749 §4.1).
        case authorizationCode
        /// It gives tokens to us, as a service, and no person has a part in them (RFC 6749 §4.4).
        case clientCredentials
        /// It exchanges a token that the caller's account has of our own authority (RFC 8693).
        case tokenExchange(Subject)
    }

    /// The token that is exchanged.
    public struct Subject: Hashable, Sendable {
        /// The scopes of one of our APIs that it has.
        public let scopes: [String]
        /// Our name at the other authority; nil if it is not told.
        public let issuer: String?

        /// Describes the token that is exchanged.
        public init(scopes: [String], issuer: String? = nil) {
            self.scopes = scopes
            self.issuer = issuer
        }
    }

    /// The APIs that its tokens are for.
    public struct Resource: Hashable, Sendable {
        /// The API of a token that is asked for without any; nil if none is named.
        public let usual: String?
        /// The parameter by which the authority wants it named.
        public let parameter: ResourceParameter

        /// Describes the APIs of an authority.
        public init(usual: String? = nil, as parameter: ResourceParameter = .resource) {
            self.usual = usual
            self.parameter = parameter
        }
    }

    /// The authority, and our registration there; its name stands where a policy is named.
    public private(set) var registration: ProviderRegistration
    /// The scopes of a token that is asked for without any.
    public let scopes: [String]
    /// Scopes to ask consent for whenever the person is asked.
    public let additionalScopes: [String]
    /// The origins that its tokens may be sent to, as `https://host[:port]`.
    public let origins: [String]
    /// The grant by which its tokens come.
    public let grant: Grant
    /// The uids that may have its tokens; nil for all.
    public let uids: Set<UInt32>?
    /// The APIs that its tokens are for.
    public let resource: Resource
    /// The addresses on loopback that it sends people back to, without a port for any.
    public let loopbackURIs: [LoopbackURI]
    /// True if it sends people back to the address that this daemon serves.
    public let returnsHere: Bool
    /// The part of it that a request runs.
    private(set) var part: Part

    /// Describes an outside authority; one with policies says where its addresses name them.
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

    /// True if its tokens are ours, as a service's, and no account's of a person.
    var isService: Bool {
        switch grant {
        case .clientCredentials: true
        case .authorizationCode, .tokenExchange: false
        }
    }

    /// True if people sign in there.
    var signsPeopleIn: Bool {
        switch grant {
        case .authorizationCode: true
        case .clientCredentials, .tokenExchange: false
        }
    }

    /// The API of a request, as the authority wants it named; nil if there is none.
    func indicator(_ named: String?) -> ResourceIndicator? {
        (named ?? resource.usual).map { ResourceIndicator($0, as: resource.parameter) }
    }

    /// True if a uid may have its tokens.
    func serves(_ uid: UInt32) -> Bool { uids?.contains(uid) ?? true }

    /// Refuses a uid that may not have its tokens.
    func permit(_ uid: UInt32) throws(Refusal) {
        guard serves(uid) else {
            throw Refusal(.notPermitted, Text("refusal.authorityNotForUser", ["authority": name]))
        }
    }

    /// The name of the authority.
    var name: String { registration.name }

    /// The name of the policy of its tokens; an authority without policies has its own.
    var policy: String {
        switch part {
        case .whole, .policies: name
        case .policy(let id): id
        }
    }

    /// Returns the authority for one call, whose id it is told.
    func called(by caller: Caller) -> OutsideAuthority {
        var authority = self
        authority.registration = registration.called(by: caller.correlationID, for: try? caller.owner.cacheUID)
        return authority
    }

    /// Returns the authority at one of its policies; nil if it has none.
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

/// A person at an outside authority: the subject is the person's id there, and means nothing without its issuer.
struct OutsidePerson: Hashable, Sendable {
    let subject: String
    let issuer: String

    init(subject: String, issuer: String) {
        self.subject = subject
        self.issuer = issuer
    }

    /// Reads the subject of an account's row.
    init?(_ text: String) {
        guard let space = text.lastIndex(of: " ") else { return nil }
        self.init(subject: String(text[..<space]), issuer: String(text[text.index(after: space)...]))
    }

    /// The subject that stands for a service, which is no person's: a person has at least one character.
    static let service = ""

    /// The subject of the account's row; an issuer has no spaces.
    var text: String { "\(subject) \(issuer)" }
}

extension AccountRow {
    /// True for the row that holds the tokens of a service, which is nobody's account.
    var isService: Bool { OutsidePerson(subject)?.subject == OutsidePerson.service }
}
