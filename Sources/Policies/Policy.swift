import Crypto
import Foundation

/// What one policy asks, issues and remembers.
public struct Policy: Hashable, Sendable, Codable {
    /// The name.
    public let id: PolicyID
    /// What it does.
    public let kind: PolicyKind
    /// What people see it called.
    public let displayName: String
    /// What a person types to say who he is.
    public let signInName: SignInName
    /// What sign-up asks, in this order; the sign-in name is always among it if the policy signs up.
    public let attributes: [AttributeRule]
    /// What its tokens say beside `sub` and `oid`.
    public let claims: [ClaimRule]
    /// How long its tokens live.
    public let tokens: TokenLifetimes
    /// How it remembers who has signed in.
    public let session: SessionRule
    /// What a new password must look like.
    public let password: PasswordRule
    /// The checks that sign a person in, in the order of the catalogue.
    public let signInChecks: [String]
    /// The scopes it grants, and the checks that each asks for; a scope that is not here is not granted.
    public let scopes: [String: [String]]
    /// The checks that every token asks for, whatever its scopes; they count as the sign-in's.
    public let mandatoryScope: [String]
    /// The title of its pages and prompts.
    public let title: String
    /// The colour of its pages' buttons, `#rrggbb`.
    public let accentColour: String
    /// The language of its texts where the person asked for none.
    public let language: String
    /// A digest of all of the above and of the checks it names, in hexadecimal; another digest is another policy.
    public let digest: String

    /// A policy; what is left out has the default, and the digest covers those of `checks` that it names.
    public init(
        id: PolicyID,
        kind: PolicyKind,
        displayName: String? = nil,
        signInName: SignInName = .email,
        attributes: [AttributeRule] = [],
        claims: [ClaimRule] = [],
        tokens: TokenLifetimes = .init(),
        session: SessionRule = .init(),
        password: PasswordRule = .strong,
        signInChecks: [String] = ["UserLogin"],
        scopes: [String: [String]] = [:],
        mandatoryScope: [String] = [],
        title: String = "Tasks",
        accentColour: String = "#0b57d0",
        language: String = "en",
        checks: [String: Check] = [:]
    ) {
        self.id = id
        self.kind = kind
        self.displayName = displayName ?? id.description
        self.signInName = signInName
        self.attributes = attributes
        self.claims = claims
        self.tokens = tokens
        self.session = session
        self.password = password
        self.signInChecks = signInChecks
        self.scopes = scopes
        self.mandatoryScope = mandatoryScope
        self.title = title
        self.accentColour = accentColour
        self.language = language
        let named = Set(signInChecks + mandatoryScope + scopes.values.joined()).sorted()
        let parts: [any Encodable] = [
            id, kind, self.displayName, signInName, attributes, claims, tokens, session, password, signInChecks, scopes,
            mandatoryScope, title, accentColour, language, named.compactMap { checks[$0] },
        ]
        digest = Self.digest(of: parts)
    }

    /// The checks that every token needs: those that sign in, then those of `mandatoryScope`, each once.
    public var baseChecks: [String] {
        signInChecks + mandatoryScope.filter { !signInChecks.contains($0) }
    }

    /// The checks that a scope asks for beside ``baseChecks``, or nothing if this policy does not grant it.
    ///
    /// `scopes:` may name a scope by itself or as `<api>/<scope>`; the longer name goes first.
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
