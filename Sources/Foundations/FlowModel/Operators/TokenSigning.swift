/// The algorithms that sign the tokens issued to a client.
public struct TokenSigning: Hashable, Sendable {
    /// The signing algorithms (RFC 7518 §3.1, RFC 8037 §3.1), spelled as on the wire.
    public enum Algorithm: String, CaseIterable, Hashable, Sendable {
        case es256 = "ES256"
        case edDSA = "EdDSA"
        case rs256 = "RS256"
    }

    /// The algorithm that signs ID tokens (OpenID Connect Registration §2, `id_token_signed_response_alg`).
    public var idToken: Algorithm
    /// The algorithm that signs access tokens.
    public var accessToken: Algorithm

    /// Creates a selection of algorithms, by default ES256 for both kinds of tokens.
    public init(idToken: Algorithm = .es256, accessToken: Algorithm = .es256) {
        self.idToken = idToken
        self.accessToken = accessToken
    }
}
