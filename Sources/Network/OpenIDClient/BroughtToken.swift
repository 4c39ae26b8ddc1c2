public import OAuth

/// A token that a provider issued and that a caller presents instead of signing in with the provider.
public enum BroughtToken: Hashable, Sendable {
    /// An ID token (OpenID Connect Core §2).
    case idToken(Secret)
    /// An access token, which is accepted only if the provider reports which client the token was issued to.
    case accessToken(Secret)

    /// The names that Azure App Service clients use for the member that contains an ID token.
    private static let idTokens = ["id_token", "authenticationToken"]

    /// Reads the only token in `members`, whose name determines the kind of token.
    ///
    /// - Throws: `invalid_request` unless `members` contains exactly one token, with a known name.
    public init(_ members: [String: Secret]) throws(OAuthError) {
        guard let (name, token) = members.first, members.count == 1 else {
            throw OAuthError.invalidRequest(
                "The parameter providerToken must have exactly one token, either id_token or access_token."
            )
        }
        switch name {
        case _ where Self.idTokens.contains(name): self = .idToken(token)
        case "access_token": self = .accessToken(token)
        default: throw OAuthError.invalidRequest("The parameter providerToken accepts only id_token or access_token.")
        }
    }
}
