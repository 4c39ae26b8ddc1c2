public import OAuth

/// The terms under which a client may fetch tokens with an authorization code (RFC 6749 §4.1.3, RFC 7636 §4.4).
public struct CodeTerms: Hashable, Sendable, Codable {
    /// The redirect URI of the authorization request, byte for byte.
    public let redirectURI: String
    /// The challenge whose verifier the client must show.
    public let challenge: CodeChallenge
    /// `nonce` of the ID token (OpenID Connect Core §3.1.2.1).
    public let nonce: String?

    /// The terms of one code.
    public init(redirectURI: String, challenge: CodeChallenge, nonce: String?) {
        self.redirectURI = redirectURI
        self.challenge = challenge
        self.nonce = nonce
    }
}

/// The contents of a code's row: its terms, and the request that it stands for.
struct CodeBody: Codable {
    let terms: CodeTerms
    let request: ResolvedRequest
}
