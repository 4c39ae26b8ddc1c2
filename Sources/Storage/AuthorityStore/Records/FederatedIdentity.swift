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
