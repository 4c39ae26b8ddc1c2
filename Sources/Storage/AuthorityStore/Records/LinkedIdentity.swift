/// A person's account at a provider outside; who the person is there stays a secret of the row.
public struct LinkedIdentity: Hashable, Sendable {
    /// The provider's name in the configuration.
    public let provider: String
    /// Time since which it is the person's, in milliseconds since 1970 UTC.
    public let addedAt: Int64
}

/// The ways to sign in that the configuration and the policies leave open, by which it is told that somebody has one.
public struct SignInMethods: Hashable, Sendable {
    /// The names of the providers at which people sign in.
    public let providers: Set<String>
    /// True if a code to an address signs people in, without a password.
    public let byCode: Bool

    /// Ways to sign in.
    public init(providers: Set<String>, byCode: Bool) {
        self.providers = providers
        self.byCode = byCode
    }

    /// True if one of them is a person's.
    ///
    /// - Parameters:
    ///   - person: The person.
    ///   - identities: The names of the providers at which the person has an account.
    /// - Returns: False if the person could not sign in at all.
    public func lead(in person: UserRecord, identities: [String]) -> Bool {
        person.passwordHash != nil || byCode && !person.signInNames.isEmpty
            || identities.contains { providers.contains($0) }
    }
}

/// A person as a provider outside knows them: the issuer and the subject, and nothing else, are the identity.
public struct FederatedIdentity: Hashable, Sendable {
    /// The issuer.
    public let issuer: String
    /// The person's id there.
    public let subject: String
    /// The provider's name in the configuration, for people.
    public let provider: String

    /// A person as a provider outside knows them.
    public init(issuer: String, subject: String, provider: String) {
        self.issuer = issuer
        self.subject = subject
        self.provider = provider
    }
}
