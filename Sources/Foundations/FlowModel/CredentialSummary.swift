/// An enrolled credential, without its secret, which the user can use everywhere or only under the caller's uid.
public struct CredentialSummary: Hashable, Sendable {
    /// The kind of credential.
    public let type: Credential
    /// The opaque id of the account.
    public let account: String
    /// The time of enrolment, in milliseconds since 1970 UTC.
    public let enrolledAt: Int64
    /// The name of the external provider, or `nil` for any other kind of credential.
    public let provider: String?

    /// Creates the summary of a credential.
    public init(type: Credential, account: String, enrolledAt: Int64, provider: String? = nil) {
        self.type = type
        self.account = account
        self.enrolledAt = enrolledAt
        self.provider = provider
    }
}
