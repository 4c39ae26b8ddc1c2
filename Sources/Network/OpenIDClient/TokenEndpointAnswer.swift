import OAuth

/// The answer of a token endpoint (RFC 6749 §5.1).
struct TokenEndpointAnswer: Sendable {
    /// The life of a token whose answer names none, in seconds.
    static let usualLife: Int64 = 300
    /// The life of a token that its authority ends only when somebody revokes it, in seconds: 30 days.
    static let lifeWithoutEnd: Int64 = 2_592_000
    /// The longest life that is believed, in seconds: a year.
    static let longestLife: Int64 = 31_536_000
    /// The longest token, in bytes.
    static let longestToken = 32 * 1024
    /// The longest list of scopes, in bytes: it stands in every list of tokens.
    static let longestScope = 4096

    let accessToken: Secret?
    let refreshToken: Secret?
    let idToken: Secret?
    /// The granted scopes; nil if they are those that were asked for.
    let scopes: [String]?
    /// The life of the access token, in seconds.
    let life: Int64
    /// True if the answer says how long the access token lives.
    let namesLife: Bool

    init(_ answer: OutsideHTTP.Answer, of registration: ProviderRegistration) throws(ProviderError) {
        guard let json = answer.json, json.object != nil else {
            throw ProviderError(
                .protocolViolation,
                "\(registration.name) does not redeem the code: \(Self.word(of: answer))"
            )
        }
        // The type must be there (RFC 6749 §5.1), and no other one is known here (§7.1).
        guard json["token_type"]?.string?.lowercased() == "bearer" else {
            throw ProviderError(.protocolViolation, "\(registration.name) answered with another kind of token")
        }
        accessToken = json["access_token"]?.string.map { Secret($0) }
        refreshToken = json["refresh_token"]?.string.map { Secret($0) }
        idToken = json["id_token"]?.string.map { Secret($0) }
        guard json["scope"]?.string.map({ $0.utf8.count <= Self.longestScope }) ?? true else {
            throw ProviderError(
                .protocolViolation,
                "\(registration.name) answered with a list of scopes that is too long"
            )
        }
        let scopes = json["scope"]?.string.map { $0.split(separator: " ").map(String.init) }
        guard scopes?.allSatisfy({ (try? Scope($0)) != nil }) ?? true else {
            throw ProviderError(.protocolViolation, "\(registration.name) answered with a scope of other characters")
        }
        self.scopes = scopes
        let life = json["expires_in"]?.int ?? json["expires_in"]?.string.flatMap { Int64($0) } ?? Self.usualLife
        // An expired token must not replace a valid one.
        guard accessToken == nil || life > 0 else {
            throw ProviderError(.protocolViolation, "\(registration.name) answered with a token that has expired")
        }
        self.life = min(max(life, 0), Self.longestLife)
        namesLife = json["expires_in"] != nil
        // What is sent behind `Bearer` (RFC 6750 §2.1), and what a form carries (RFC 6749 appendix A).
        guard accessToken?.isBearerToken ?? true,
            [refreshToken, idToken].allSatisfy({ $0.map { $0.revealBytes().allSatisfy(Self.isVisible) } ?? true })
        else {
            throw ProviderError(.protocolViolation, "\(registration.name) answered with a token of other characters")
        }
        for token in [accessToken, refreshToken, idToken] {
            guard token.map({ (1...Self.longestToken).contains($0.count) }) ?? true else {
                throw ProviderError(.protocolViolation, "\(registration.name) answered with a token that is too long")
            }
        }
    }

    /// The refresh token of an answer of which nothing else is verified; nil if there is none that could be sent again.
    static func refreshToken(of answer: OutsideHTTP.Answer) -> Secret? {
        guard let token = answer.json?["refresh_token"]?.string.map({ Secret($0) }),
            (1...longestToken).contains(token.count), token.revealBytes().allSatisfy(isVisible)
        else { return nil }
        return token
    }

    private static func isVisible(_ byte: UInt8) -> Bool { (0x20...0x7E).contains(byte) }

    /// The word of the specification by which an endpoint refuses; nothing else of its answer is repeated.
    static func word(of answer: OutsideHTTP.Answer) -> String {
        errors.first { answer.json?["error"]?.string == $0 } ?? "status \(answer.status)"
    }

    /// The error of an answer without tokens: what a word means is the same for every grant, but for what the grant itself says.
    ///
    /// - Parameters:
    ///   - answer: The answer.
    ///   - event: What does not happen.
    ///   - denied: The words by which this grant says that nothing is given.
    ///   - worthless: The words by which it says that what it was brought is not valid.
    /// - Returns: The error; `unavailable` for a server that has failed itself, whatever the grant.
    static func error(
        of answer: OutsideHTTP.Answer,
        _ event: String,
        denied: [String] = [],
        worthless: [String] = []
    ) -> ProviderError {
        let word = word(of: answer)
        let code: ProviderError.Code =
            switch word {
            case _ where failures.contains(word): .unavailable
            case _ where worthless.contains(word): .invalidGrant
            case _ where denied.contains(word): .denied
            default: .protocolViolation
            }
        return ProviderError(code, "\(event): \(word)")
    }

    /// The errors that say that nothing is given without the person (RFC 6749 §5.2, OpenID Connect Core §3.1.2.6).
    static let needsPerson = [
        "invalid_grant", "invalid_scope", "interaction_required", "login_required", "consent_required",
    ]

    /// The errors by which a server says that it has failed itself (RFC 6749 §4.1.2.1; some say so here, too).
    static let failures = ["server_error", "temporarily_unavailable"]

    private static let errors =
        needsPerson + [
            "invalid_client", "invalid_request", "unauthorized_client", "invalid_target", "unsupported_grant_type",
            "authorization_pending", "slow_down", "access_denied", "expired_token",
        ] + failures
}
