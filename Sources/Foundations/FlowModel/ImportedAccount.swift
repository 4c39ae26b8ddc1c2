public import OAuth

/// The parameters of `account.import`: an account at an external authority, with a refresh token that another program
/// stored.
public struct ImportedAccount: Hashable, Sendable {
    /// The authority: an existing one with the same issuer and client, or a new one to add.
    public let authority: NewAuthority
    /// The refresh token.
    ///
    /// Even a failed import can use up the token.
    public let refreshToken: Secret

    /// Creates the import of an account from its refresh token.
    public init(_ refreshToken: Secret, at authority: NewAuthority) {
        self.refreshToken = refreshToken
        self.authority = authority
    }
}
