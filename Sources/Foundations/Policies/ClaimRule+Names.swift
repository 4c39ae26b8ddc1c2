extension ClaimRule {
    /// Why the claim's name is not allowed, or `nil` if it is allowed.
    var nameRefusal: String? {
        let member = wireName.lowercased()
        if let values = Self.spokenFor[member] {
            return values.contains(name) ? nil : "that name is reserved for \(values.joined(separator: " and "))"
        }
        if Self.ofTokens.contains(member) { return "tokens use that name" }
        if Self.unvouched.contains(member) {
            return "programs would trust it although it is not verified; choose another name"
        }
        return nil
    }

    /// The claim names that only certain attributes or built-in values may use, because programs rely on their meaning.
    ///
    /// The keys are the claim names in lower case, and the values are the names of these attributes and built-in
    /// values.
    private static let spokenFor: [String: [String]] = [
        "oid": ["oid"],
        "email": ["email"],
        "emails": ["emails"],
        "preferred_username": ["username", "email"],
        "upn": ["username", "email"],
        "unique_name": ["username", "email"],
        "username": ["username"],
        "name": ["displayName"],
        "displayname": ["displayName"],
        "idp": ["identityProvider"],
        "identityprovider": ["identityProvider"],
        "newuser": ["newUser"],
        "isforgotpassword": ["isForgotPassword"],
        "imf.user": ["imf.user"],
    ]

    /// The names of members that have a defined meaning in tokens and introspection responses.
    private static let ofTokens: Set<String> = [
        // RFC 7519 §4.1
        "iss", "sub", "aud", "exp", "nbf", "iat", "jti", "typ", "alg", "kid",
        // OpenID Connect Core §2, §5.6.2 and §7.4; FAPI 1.0 part 2 §5.1.1
        "nonce", "auth_time", "acr", "amr", "azp", "at_hash", "c_hash", "s_hash", "sub_jwk", "_claim_names",
        "_claim_sources",
        // OpenID Connect Back-Channel Logout §2.4
        "sid", "events",
        // RFC 9068 §2.2, RFC 8693 §4, RFC 7800 §3.1, RFC 9396 §9.1
        "client_id", "scope", "groups", "act", "may_act", "cnf", "authorization_details",
        // RFC 7662 §2.2
        "active", "token_type", "token_use",
        // Azure AD and B2C
        "ver", "tid", "tfp", "scp", "appid", "appidacr", "azpacr", "idtyp", "wids", "trustframeworkpolicy",
        // Members of the claim `imf.user`, and of the response that `tasksd` returns at `/protected`
        "id", "authby", "attributes",
    ]

    /// The claims that programs would trust although they are unverified (OpenID Connect Core §5.1, RFC 9068 §2.2.3.1).
    private static let unvouched: Set<String> = [
        "email_verified", "phone_number_verified", "updated_at", "verified_claims", "roles", "role", "entitlements",
        "permissions",
    ]
}
