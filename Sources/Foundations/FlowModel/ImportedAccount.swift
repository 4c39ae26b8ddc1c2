public import OAuth

/// The parameters of `account.import`: an account at an outside authority whose refresh token another program has kept.
public struct ImportedAccount: Hashable, Sendable {
    /// The authority: one that the caller can name already, by issuer and client, or else one to add.
    public let authority: NewAuthority
    /// The refresh token; it may be spent even if the account is not taken over.
    public let refreshToken: Secret

    /// Takes over the account of a refresh token.
    public init(_ refreshToken: Secret, at authority: NewAuthority) {
        self.refreshToken = refreshToken
        self.authority = authority
    }
}
