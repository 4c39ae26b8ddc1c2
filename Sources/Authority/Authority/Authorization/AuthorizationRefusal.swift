public import OAuth

/// An error that rejects an authorization request, classified by where the error is reported.
public enum AuthorizationRefusal: Error, Hashable, Sendable {
    /// The client or its redirect URI is not verified, so only the user may see the error (RFC 6749 §4.1.2.1, RFC 9700
    /// §4.11).
    case page(OAuthError)
    /// The error goes to the client's redirect URI.
    case answer(AuthorizationReply, OAuthError)
}
