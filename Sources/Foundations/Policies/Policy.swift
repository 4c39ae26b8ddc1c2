import Crypto
public import FlowModel
import Foundation
public import OAuth

/// A policy, which defines the steps of its flows, its tokens and its sessions.
///
/// This type is a class to avoid copying, because the policy is passed along with every request.
public final class Policy: Sendable, Codable {
    /// The policy id, in lower case.
    public let id: PolicyID
    /// The kind of policy, which determines for example whether users can sign up.
    public let kind: PolicyKind
    /// The name that users see.
    public let displayName: String
    /// The names of the identity providers that users can sign in with, where ``local`` stands for this authority.
    public let identityProviders: [String]
    /// The kind of name that users sign in with.
    public let signInName: SignInName
    /// The attributes that the policy collects, in this order, including the sign-in name of accounts that it creates.
    public let attributes: [AttributeRule]
    /// The claims that the policy's tokens contain in addition to `sub` and `oid`.
    public let claims: [ClaimRule]
    /// The lifetimes of the policy's tokens.
    public let tokens: TokenLifetimes
    /// The rule for the policy's sessions.
    public let session: SessionRule
    /// The rule for new passwords.
    public let password: PasswordRule
    /// The validations that attributes and the password rule refer to, by name.
    public let validations: [String: Validation]
    /// The names of the checks that sign a user in, in the order of the policy catalogue.
    public let signInChecks: [String]
    /// The rule for a second factor after the sign-in.
    public let secondFactor: SecondFactor
    /// The only scopes that the policy grants, each with the checks that it requires.
    public let scopes: [String: [String]]
    /// The checks that every token requires, which are valid for as long as the sign-in checks.
    public let mandatoryScope: [String]
    /// The additional checks that a scope requires for a particular client, by client and scope.
    public let clientScopes: [String: [String: [String]]]
    /// The calls to external services between the policy's steps.
    public let connectors: Connectors
    /// The appearance of the policy's pages.
    public let pages: PageLook
    /// The language that the policy uses if the user does not request one.
    public let language: LanguageTag
    /// The operator's texts for pages, by language and key.
    public let texts: [String: [String: String]]
    /// A hexadecimal digest of all other stored public properties and of the checks that they refer to.
    public let digest: String
    /// The rules of other policies, by attribute name, for attributes in ``claims`` that this policy does not collect.
    private let rulesElsewhere: [String: [AttributeRule]]

    /// Creates a policy with default values for omitted parameters, and a digest that covers the checks that it uses.
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

    /// The checks that every token requires, without duplicates: the sign-in checks, then ``mandatoryScope``.
    public var baseChecks: [String] {
        signInChecks + mandatoryScope.filter { !signInChecks.contains($0) }
    }

    /// All checks that any scope requires for any client.
    public var scopeChecks: [String] { Self.checks(scopes, clientScopes) }

    private static func checks(
        _ scopes: [String: [String]],
        _ clientScopes: [String: [String: [String]]]
    ) -> [String] {
        ([scopes] + clientScopes.values).flatMap { $0.values.joined() }
    }

    /// Returns the checks that a scope requires in addition to ``baseChecks``, or `nil` if the scope is not granted.
    ///
    /// A scope listed as `<api>/<scope>` takes precedence over `<scope>`. The checks for `client` are included.
    public func checks(forScope scope: String, api: String? = nil, client: String? = nil) -> [String]? {
        func listed(_ scopes: [String: [String]]) -> [String]? {
            api.flatMap { scopes["\($0)/\(scope)"] } ?? scopes[scope]
        }
        guard let checks = listed(scopes) else { return nil }
        let more = client.flatMap { clientScopes[$0] }.flatMap(listed) ?? []
        return checks + more.filter { !checks.contains($0) }
    }

    /// Returns the rule for an attribute, or `nil` if the policy does not collect the attribute.
    public func attribute(_ name: String) -> AttributeRule? { attributes.first { $0.name == name } }

    /// Converts the stored value of an attribute to the value of a claim.
    ///
    /// The conversion uses this policy's rule for the attribute, or else the rules of other policies, or else the
    /// built-in rule. Returns `nil` if the value cannot be converted, or the unchanged value if there is no rule.
    public func claim(_ name: String, stored value: JSONValue) -> JSONValue? {
        if let own = attribute(name) { return own.adopting(value) }
        if let rules = rulesElsewhere[name] { return rules.lazy.compactMap { $0.adopting(value) }.first }
        return AttributeRule.builtIn(name).map { $0.adopting(value) } ?? value
    }

    /// Returns a copy that contains the attribute rules of other policies that ``claim(_:stored:)`` needs.
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
    /// Whether both policies have the same digest, which covers all stored public properties.
    public static func == (a: Policy, b: Policy) -> Bool { a.digest == b.digest }

    /// Hashes the digest.
    public func hash(into hasher: inout Hasher) { hasher.combine(digest) }
}
