public import OAuth

/// An error that rejects an authorization request, classified by where the error is reported.
public enum AuthorizationRefusal: Error, Hashable, Sendable {
    /// Shown only to the user, because the client or redirect URI is invalid (RFC 6749 §4.1.2.1, RFC 9700 §4.11).
    case page(OAuthError)
    /// Reported to the client at its redirect URI.
    case answer(AuthorizationReply, OAuthError)
}
