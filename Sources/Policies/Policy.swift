import Crypto
public import FlowModel
import Foundation

/// A policy: the questions it asks, the tokens it issues and the session it leaves.
public struct Policy: Hashable, Sendable, Codable {
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
    /// The checks that sign a person in, in the order of the catalogue.
    public let signInChecks: [String]
    /// The rule for a second proof after the sign-in's.
    public let secondFactor: SecondFactor
    /// The scopes it grants, and the checks that each requires; no other scope is granted.
    public let scopes: [String: [String]]
    /// The checks that every token requires, whatever its scopes; they count as the sign-in's.
    public let mandatoryScope: [String]
    /// The looks of its pages.
    public let pages: PageLook
    /// The language of its texts if the person asked for none.
    public let language: LanguageTag
    /// The operator's own sentences on pages, by language and name.
    public let texts: [String: [String: String]]
    /// A hexadecimal digest of all of the above and of the checks it names; with another digest it is another policy.
    public let digest: String

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
        signInChecks: [String] = ["UserLogin"],
        secondFactor: SecondFactor = SecondFactor(),
        scopes: [String: [String]] = [:],
        mandatoryScope: [String] = [],
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
        self.signInChecks = signInChecks
        self.secondFactor = secondFactor
        self.scopes = scopes
        self.mandatoryScope = mandatoryScope
        self.pages = pages
        self.language = language
        self.texts = texts
        let named = Set(signInChecks + secondFactor.checks + mandatoryScope + scopes.values.joined()).sorted()
        let parts: [any Encodable] = [
            id, kind, self.displayName, identityProviders, signInName, attributes, claims, tokens, session, password,
            signInChecks, secondFactor, scopes,
            mandatoryScope, pages, language, texts, named.compactMap { checks[$0] },
        ]
        digest = Self.digest(of: parts)
    }

    /// The checks that every token requires: those that sign in, then those of `mandatoryScope`, each once.
    public var baseChecks: [String] {
        signInChecks + mandatoryScope.filter { !signInChecks.contains($0) }
    }

    /// The checks that a scope requires beside ``baseChecks``; nil if this policy does not grant it.
    ///
    /// `scopes:` may name a scope by itself or as `<api>/<scope>`; the longer name takes precedence.
    public func checks(forScope scope: String, api: String? = nil) -> [String]? {
        api.flatMap { scopes["\($0)/\(scope)"] } ?? scopes[scope]
    }

    /// The rule of an attribute, if the policy asks for it.
    public func attribute(_ name: String) -> AttributeRule? { attributes.first { $0.name == name } }

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
