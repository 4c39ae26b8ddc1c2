public import OAuth

/// The parameters of `account.import`, which imports an account with a refresh token issued to another program.
public struct ImportedAccount: Hashable, Sendable {
    /// The authority, which is added unless an authority with the same issuer and client already exists.
    public let authority: NewAuthority
    /// The refresh token of the account, which can become unusable even if the import fails.
    public let refreshToken: Secret

    /// Creates the parameters for importing an account with a refresh token from `authority`.
    public init(_ refreshToken: Secret, at authority: NewAuthority) {
        self.refreshToken = refreshToken
        self.authority = authority
    }
}
