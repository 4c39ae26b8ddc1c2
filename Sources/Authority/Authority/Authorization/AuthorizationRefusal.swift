public import OAuth

/// An error that rejects an authorization request.
///
/// The case determines where the error is reported.
public enum AuthorizationRefusal: Error, Hashable, Sendable {
    /// An error that is shown only to the user, because the client or redirect URI is invalid (RFC 6749 §4.1.2.1,
    /// RFC 9700 §4.11).
    case page(OAuthError)
    /// An error that is reported to the client at the client's redirect URI.
    case answer(AuthorizationReply, OAuthError)
}
