public import OAuth

/// The refusal of an authorization request.
public enum AuthorizationRefusal: Error, Hashable, Sendable {
    /// The client or its redirect URI is not proven, so that only the person may see the error (RFC 6749 §4.1.2.1,
    /// RFC 9700 §4.11).
    case page(OAuthError)
    /// The client is told.
    case answer(AuthorizationReply, OAuthError)
}
