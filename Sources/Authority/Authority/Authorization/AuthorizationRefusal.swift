public import OAuth

/// An error that rejects an authorization request and is shown to the user or reported to the client.
public enum AuthorizationRefusal: Error, Hashable, Sendable {
    /// An error shown only to the user, for an invalid client or redirect URI (RFC 6749 §4.1.2.1, RFC 9700 §4.11).
    case page(OAuthError)
    /// An error that is reported to the client at the client's redirect URI.
    case answer(AuthorizationReply, OAuthError)
}
