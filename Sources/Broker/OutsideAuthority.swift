public import OpenIDClient

/// An outside authority, whose tokens are kept here for people like ours.
public struct OutsideAuthority: Hashable, Sendable {
    /// The authority, and our registration there; its name stands where a policy is named.
    public let registration: ProviderRegistration
    /// The scopes of a token that is asked for without any.
    public let scopes: [String]
    /// Scopes to ask consent for whenever the person is asked.
    public let additionalScopes: [String]
    /// The origins that its tokens may be sent to, as `https://host[:port]`.
    public let origins: [String]

    /// Describes an outside authority.
    public init(
        registration: ProviderRegistration,
        scopes: [String] = [],
        additionalScopes: [String] = [],
        origins: [String] = []
    ) {
        self.registration = registration
        self.scopes = scopes
        self.additionalScopes = additionalScopes
        self.origins = origins
    }

    /// The name: of the authority, and of the policy of its tokens.
    var name: String { registration.name }
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

    /// The subject of the account's row; an issuer has no spaces.
    var text: String { "\(subject) \(issuer)" }
}
