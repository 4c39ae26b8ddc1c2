public import OAuth

/// The conditions for redeeming an authorization code (RFC 6749 §4.1.3, RFC 7636 §4.4).
public struct CodeTerms: Hashable, Sendable {
    /// The redirect URI, exactly as in the authorization request.
    public let redirectURI: String
    /// The PKCE challenge that the client's verifier must match.
    public let challenge: CodeChallenge
    /// The `nonce` claim of the ID token (OpenID Connect Core §3.1.2.1), or `nil` if the request had none.
    public let nonce: String?

    /// Creates the conditions for redeeming a code.
    public init(redirectURI: String, challenge: CodeChallenge, nonce: String?) {
        self.redirectURI = redirectURI
        self.challenge = challenge
        self.nonce = nonce
    }
}

struct CodeBody {
    let terms: CodeTerms
    let request: ResolvedRequest
}

extension CodeBody: JSONConvertible {
    init?(json: JSONValue) {
        guard let terms = json["terms"], let redirectURI = terms["redirectURI"]?.string,
            let challenge = terms["challenge"]?.string.flatMap({ try? CodeChallenge($0) }),
            let request = json["request"].flatMap(ResolvedRequest.init(json:))
        else { return nil }
        let nonce = terms["nonce"]?.string
        self.init(
            terms: CodeTerms(redirectURI: redirectURI, challenge: challenge, nonce: nonce),
            request: request
        )
    }

    var json: JSONValue {
        var terms: [String: JSONValue] = [
            "redirectURI": .string(self.terms.redirectURI), "challenge": .string(self.terms.challenge.description),
        ]
        terms["nonce"] = self.terms.nonce.map { .string($0) }
        return ["terms": .object(terms), "request": request.json]
    }
}
