import OAuth

/// A response from a token endpoint (RFC 6749 §5.1).
struct TokenEndpointAnswer: Sendable {
    /// The lifetime that is assumed if a response contains no `expires_in`, in seconds.
    static let usualLife: Int64 = 300
    /// The lifetime that is assumed for a token that is valid until it is revoked, in seconds (30 days).
    static let lifeWithoutEnd: Int64 = 2_592_000
    /// The maximum lifetime of a token, in seconds (365 days).
    static let longestLife: Int64 = 31_536_000
    /// The maximum length of a token, in bytes.
    static let longestToken = 32 * 1024
    /// The maximum length of the scope list, in bytes.
    static let longestScope = 4096

    let accessToken: Secret?
    let refreshToken: Secret?
    let idToken: Secret?
    /// The granted scopes, or `nil` if they are the same as the requested scopes.
    let scopes: [String]?
    /// The lifetime of the access token, in seconds.
    let life: Int64
    let namesLife: Bool

    init(_ answer: OutsideHTTP.Answer, of registration: ProviderRegistration) throws(ProviderError) {
        guard let json = answer.json, json.object != nil else {
            throw ProviderError(
                .protocolViolation,
                "\(registration.name) did not redeem the code: \(Self.word(of: answer))"
            )
        }
        // The token type is required (RFC 6749 §5.1), and only `Bearer` is supported (§7.1).
        guard json["token_type"]?.string?.lowercased() == "bearer" else {
            throw ProviderError(.protocolViolation, "\(registration.name) issued another kind of token")
        }
        accessToken = json["access_token"]?.string.map { Secret($0) }
        refreshToken = json["refresh_token"]?.string.map { Secret($0) }
        idToken = json["id_token"]?.string.map { Secret($0) }
        guard json["scope"]?.string.map({ $0.utf8.count <= Self.longestScope }) ?? true else {
            throw ProviderError(
                .protocolViolation,
                "\(registration.name) returned a scope list that is too long"
            )
        }
        let scopes = json["scope"]?.string.map { $0.split(separator: " ").map(String.init) }
        guard scopes?.allSatisfy({ (try? Scope($0)) != nil }) ?? true else {
            throw ProviderError(.protocolViolation, "\(registration.name) returned a scope with invalid characters")
        }
        self.scopes = scopes
        let life = json["expires_in"]?.int ?? json["expires_in"]?.string.flatMap { Int64($0) } ?? Self.usualLife
        // An expired token must not replace a valid one.
        guard accessToken == nil || life > 0 else {
            throw ProviderError(.protocolViolation, "\(registration.name) issued an expired token")
        }
        self.life = min(max(life, 0), Self.longestLife)
        namesLife = json["expires_in"] != nil
        // RFC 6750 §2.1 limits the characters of the access token, and RFC 6749 appendix A those of the other tokens.
        guard accessToken?.isBearerToken ?? true,
            [refreshToken, idToken].allSatisfy({ $0.map { $0.revealBytes().allSatisfy(Self.isVisible) } ?? true })
        else {
            throw ProviderError(.protocolViolation, "\(registration.name) issued a token with invalid characters")
        }
        for token in [accessToken, refreshToken, idToken] {
            guard token.map({ (1...Self.longestToken).contains($0.count) }) ?? true else {
                throw ProviderError(.protocolViolation, "\(registration.name) issued a token that is too long")
            }
        }
    }

    /// Returns the refresh token in an unverified response, or `nil` if it is missing or malformed.
    static func refreshToken(of answer: OutsideHTTP.Answer) -> Secret? {
        guard let token = answer.json?["refresh_token"]?.string.map({ Secret($0) }),
            (1...longestToken).contains(token.count), token.revealBytes().allSatisfy(isVisible)
        else { return nil }
        return token
    }

    private static func isVisible(_ byte: UInt8) -> Bool { (0x20...0x7E).contains(byte) }

    /// Returns the error code in a response if the code is known, or the status otherwise.
    static func word(of answer: OutsideHTTP.Answer) -> String {
        errors.first { answer.json?["error"]?.string == $0 } ?? "status \(answer.status)"
    }

    /// Returns the error for a response without tokens, where `event` names the action that failed.
    ///
    /// `denied` lists the error codes of a denial, and `worthless` those of a rejected token or code.
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

    /// The error codes that require user interaction (RFC 6749 §5.2, OpenID Connect Core §3.1.2.6).
    static let needsPerson = [
        "invalid_grant", "invalid_scope", "interaction_required", "login_required", "consent_required",
    ]

    /// The error codes for server failures (RFC 6749 §4.1.2.1), which some token endpoints also use.
    static let failures = ["server_error", "temporarily_unavailable"]

    private static let errors =
        needsPerson + [
            "invalid_client", "invalid_request", "unauthorized_client", "invalid_target", "unsupported_grant_type",
            "authorization_pending", "slow_down", "access_denied", "expired_token",
        ] + failures
}
