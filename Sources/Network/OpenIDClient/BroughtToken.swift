public import OAuth

/// A provider's own token, which a caller brings instead of going there.
public enum BroughtToken: Hashable, Sendable {
    /// An ID token (OpenID Connect Core §2).
    case idToken(Secret)
    /// An access token; it says nothing of itself, so the provider is asked whose app it was issued to.
    case accessToken(Secret)

    /// The names under which clients of Azure App Service bring an ID token.
    private static let idTokens = ["id_token", "authenticationToken"]

    /// Reads what a caller brings.
    ///
    /// - Parameter members: The tokens by their names.
    /// - Throws: `invalid_request` unless it is one token of a known name.
    public init(_ members: [String: Secret]) throws(OAuthError) {
        guard let (name, token) = members.first, members.count == 1 else {
            throw OAuthError.invalidRequest("The parameter providerToken has one token: id_token or access_token")
        }
        switch name {
        case _ where Self.idTokens.contains(name): self = .idToken(token)
        case "access_token": self = .accessToken(token)
        default: throw OAuthError.invalidRequest("The parameter providerToken takes id_token or access_token only")
        }
    }
}
