/// A credential that a person has enrolled at the caller's uid, or everywhere, without its secret.
public struct CredentialSummary: Hashable, Sendable {
    /// The kind of credential.
    public let type: Credential
    /// The account, by its opaque id.
    public let account: String
    /// Milliseconds since 1970 UTC.
    public let enrolledAt: Int64
    /// The name of the provider outside whose account it is; nil for any other kind.
    public let provider: String?

    /// A credential of an account.
    public init(type: Credential, account: String, enrolledAt: Int64, provider: String? = nil) {
        self.type = type
        self.account = account
        self.enrolledAt = enrolledAt
        self.provider = provider
    }
}
