import Crypto
public import FlowModel
import Foundation
public import OAuth

/// A policy: the questions it asks, the tokens it issues and the session it leaves.
///
/// A class, since every request hands its policy on.
public final class Policy: Sendable, Codable {
    /// The name, in lower case.
    public let id: PolicyID
    /// The kind, which decides if it signs up, signs in or both.
    public let kind: PolicyKind
    /// The name to show.
    public let displayName: String
    /// The ways in which people are known: ``local``, and names of providers outside.
    public let identityProviders: [String]
    /// The kind of name that a person signs in with.
    public let signInName: SignInName
    /// The attributes that sign-up asks for, in this order; the sign-in name is among them if the policy signs up.
    public let attributes: [AttributeRule]
    /// The claims of its tokens beside `sub` and `oid`.
    public let claims: [ClaimRule]
    /// The lives of its tokens.
    public let tokens: TokenLifetimes
    /// The rule of its sessions.
    public let session: SessionRule
    /// The rule for new passwords.
    public let password: PasswordRule
    /// The rules for answers that attributes and the password name.
    public let validations: [String: Validation]
    /// The checks that sign a person in, in the order of the catalogue.
    public let signInChecks: [String]
    /// The rule for a second proof after the sign-in's.
    public let secondFactor: SecondFactor
    /// The scopes it grants, and the checks that each requires; no other scope is granted.
    public let scopes: [String: [String]]
    /// The checks that every token requires, whatever its scopes; they count as the sign-in's.
    public let mandatoryScope: [String]
    /// The checks that the scopes of single clients require beside those of ``scopes``, by client and scope.
    public let clientScopes: [String: [String: [String]]]
    /// The calls outside between its steps.
    public let connectors: Connectors
    /// The looks of its pages.
    public let pages: PageLook
    /// The language of its texts if the person asked for none.
    public let language: LanguageTag
    /// The operator's own sentences on pages, by language and name.
    public let texts: [String: [String: String]]
    /// A hexadecimal digest of all of the above and of the checks it names; with another digest it is another policy.
    public let digest: String
    /// The rules of other policies for the attributes among ``claims`` that this one does not ask for, by name.
    private let rulesElsewhere: [String: [AttributeRule]]

    /// A policy; parameters left out have the defaults, and the digest covers those of `checks` that it names.
    public init(
        id: PolicyID,
        kind: PolicyKind,
        displayName: String? = nil,
        identityProviders: [String] = [Policy.local],
        signInName: SignInName = .email,
        attributes: [AttributeRule] = [],
        claims: [ClaimRule] = [],
        tokens: TokenLifetimes = .init(),
        session: SessionRule = .init(),
        password: PasswordRule = .strong,
        validations: [String: Validation] = [:],
        signInChecks: [String] = ["UserLogin"],
        secondFactor: SecondFactor = SecondFactor(),
        scopes: [String: [String]] = [:],
        mandatoryScope: [String] = [],
        clientScopes: [String: [String: [String]]] = [:],
        connectors: Connectors = Connectors(),
        pages: PageLook = .init(),
        language: LanguageTag = .english,
        texts: [String: [String: String]] = [:],
        checks: [String: Check] = [:]
    ) {
        self.id = id
        self.kind = kind
        self.displayName = displayName ?? id.description
        self.identityProviders = identityProviders
        self.signInName = signInName
        self.attributes = attributes
        self.claims = claims
        self.tokens = tokens
        self.session = session
        self.password = password
        self.validations = validations
        self.signInChecks = signInChecks
        self.secondFactor = secondFactor
        self.scopes = scopes
        self.mandatoryScope = mandatoryScope
        self.clientScopes = clientScopes
        self.connectors = connectors
        self.pages = pages
        self.language = language
        self.texts = texts
        let ofScopes = Self.checks(scopes, clientScopes)
        let named = Set(signInChecks + secondFactor.checks + mandatoryScope + ofScopes).sorted()
        let parts: [any Encodable] = [
            id, kind, self.displayName, identityProviders, signInName, attributes, claims, tokens, session, password,
            signInChecks, secondFactor, scopes,
            mandatoryScope, validations, clientScopes, connectors, pages, language, texts,
            named.compactMap { checks[$0] },
        ]
        digest = Self.digest(of: parts)
        rulesElsewhere = [:]
    }

    /// The same policy with rules of others.
    private init(_ policy: Policy, rulesElsewhere: [String: [AttributeRule]]) {
        id = policy.id
        kind = policy.kind
        displayName = policy.displayName
        identityProviders = policy.identityProviders
        signInName = policy.signInName
        attributes = policy.attributes
        claims = policy.claims
        tokens = policy.tokens
        session = policy.session
        password = policy.password
        validations = policy.validations
        signInChecks = policy.signInChecks
        secondFactor = policy.secondFactor
        scopes = policy.scopes
        mandatoryScope = policy.mandatoryScope
        clientScopes = policy.clientScopes
        connectors = policy.connectors
        pages = policy.pages
        language = policy.language
        texts = policy.texts
        digest = policy.digest
        self.rulesElsewhere = rulesElsewhere
    }

    /// The checks that every token requires: those that sign in, then those of `mandatoryScope`, each once.
    public var baseChecks: [String] {
        signInChecks + mandatoryScope.filter { !signInChecks.contains($0) }
    }

    /// Every check that some scope requires, of any client.
    public var scopeChecks: [String] { Self.checks(scopes, clientScopes) }

    private static func checks(
        _ scopes: [String: [String]],
        _ clientScopes: [String: [String: [String]]]
    ) -> [String] {
        ([scopes] + clientScopes.values).flatMap { $0.values.joined() }
    }

    /// The checks that a scope requires beside ``baseChecks``; nil if this policy does not grant it.
    ///
    /// `scopes:` and `clientScopes:` may name a scope by itself or as `<api>/<scope>`; the longer name takes precedence.
    ///
    /// - Parameters:
    ///   - scope: The scope.
    ///   - api: The API that has it.
    ///   - client: The client that asks, whose scopes may require more; nil for one that is not named.
    /// - Returns: The checks.
    public func checks(forScope scope: String, api: String? = nil, client: String? = nil) -> [String]? {
        func listed(_ scopes: [String: [String]]) -> [String]? {
            api.flatMap { scopes["\($0)/\(scope)"] } ?? scopes[scope]
        }
        guard let checks = listed(scopes) else { return nil }
        let more = client.flatMap { clientScopes[$0] }.flatMap(listed) ?? []
        return checks + more.filter { !checks.contains($0) }
    }

    /// The rule of an attribute, if the policy asks for it.
    public func attribute(_ name: String) -> AttributeRule? { attributes.first { $0.name == name } }

    /// A stored value of an attribute as a claim; nil where it says nothing.
    ///
    /// The rule is the policy's own, else any of those by which other policies ask for the attribute, else the built-in one.
    public func claim(_ name: String, stored value: JSONValue) -> JSONValue? {
        if let own = attribute(name) { return own.adopting(value) }
        if let rules = rulesElsewhere[name] { return rules.lazy.compactMap { $0.adopting(value) }.first }
        return AttributeRule.builtIn(name).map { $0.adopting(value) } ?? value
    }

    /// The policy among others.
    func among(_ others: [Policy]) -> Policy {
        var rulesElsewhere: [String: [AttributeRule]] = [:]
        for claim in claims where attribute(claim.name) == nil {
            let rules = others.compactMap { $0.attribute(claim.name) }
            if !rules.isEmpty { rulesElsewhere[claim.name] = rules }
        }
        return Policy(self, rulesElsewhere: rulesElsewhere)
    }

    private static func digest(of parts: [any Encodable]) -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        var hash = SHA256()
        for part in parts {
            hash.update(data: (try? encoder.encode(part)) ?? Data())
            hash.update(data: Data([0]))
        }
        return hash.finalize().prefix(16).map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
    }
}

extension Policy: Hashable {
    /// True for two policies that ask the same questions and give the same: their digests cover everything.
    public static func == (a: Policy, b: Policy) -> Bool { a.digest == b.digest }

    /// Hashes the digest.
    public func hash(into hasher: inout Hasher) { hasher.combine(digest) }
}
