/// A user's linked account at an identity provider, without the user's id at the provider.
public struct LinkedIdentity: Hashable, Sendable {
    /// The provider's name in the configuration.
    public let provider: String
    /// When the account was linked, in milliseconds since 1970 UTC.
    public let addedAt: Int64
}

/// The sign-in methods that the configuration and the policies permit.
public struct SignInMethods: Hashable, Sendable {
    /// The names of the providers with which users can sign in.
    public let providers: Set<String>
    /// Whether a code that is sent to the user's address is enough to sign in.
    public let byCode: Bool

    /// Creates a set of sign-in methods.
    public init(providers: Set<String>, byCode: Bool) {
        self.providers = providers
        self.byCode = byCode
    }

    /// Whether `person`, with identities at the named providers, can sign in with one of these methods.
    public func lead(in person: UserRecord, identities: [String]) -> Bool {
        person.passwordHash != nil || byCode && !person.signInNames.isEmpty
            || identities.contains { providers.contains($0) }
    }
}

/// A user's identity at an identity provider, identified by issuer and subject.
public struct FederatedIdentity: Hashable, Sendable {
    /// The provider's issuer identifier.
    public let issuer: String
    /// The user's id at the provider.
    public let subject: String
    /// The provider's name in the configuration, which is used in messages.
    public let provider: String

    /// Creates an identity.
    public init(issuer: String, subject: String, provider: String) {
        self.issuer = issuer
        self.subject = subject
        self.provider = provider
    }
}
