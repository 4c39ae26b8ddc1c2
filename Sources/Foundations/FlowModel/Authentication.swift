public import OAuth

/// An authenticated user, with the checks that the user passed and their times.
///
/// A finished flow never passes on the authentication directly. The flow stores the authentication in a row that is
/// bound to one pending request and can be used once.
public struct Authentication: Hashable, Sendable, Codable {
    /// The authenticated user.
    public let user: UserID
    /// The passed checks, oldest first.
    public let proofs: [Proof]
    /// Whether the user gave the required consent.
    public let consented: Bool
    /// Whether this flow created the account.
    public let isNewUser: Bool
    /// The claims that an external service returned before tokens were issued, by their names in the policy, or `nil`
    /// if it returned none.
    ///
    /// The claims are preserved when the tokens are renewed.
    public var said: [String: JSONValue]?
    /// Whether the flow replaced a forgotten password.
    ///
    /// `nil` means no.
    public var isForgotPassword: Bool?

    /// Creates an authentication from passed checks.
    public init(user: UserID, proofs: [Proof], consented: Bool = false, isNewUser: Bool = false) {
        self.user = user
        self.proofs = proofs
        self.consented = consented
        self.isNewUser = isNewUser
    }

    /// Returns a copy of the authentication with different passed checks.
    public func with(proofs: [Proof]) -> Authentication {
        var copy = Authentication(user: user, proofs: proofs, consented: consented, isNewUser: isNewUser)
        copy.said = said
        copy.isForgotPassword = isForgotPassword
        return copy
    }

    /// The time of the user's latest authentication, in milliseconds since 1970 UTC.
    ///
    /// Tokens contain this time, in seconds, as `auth_time` (OpenID Connect Core §2).
    ///
    /// The value is 0 if the time is unknown. In that case, no request with a maximum age is satisfied.
    public var authTime: Int64 { proofs.compactMap(\.provedAt).max() ?? 0 }

    /// The authentication methods (RFC 8176), without duplicates, in order of use.
    public var amr: [String] {
        var seen: Set<String> = []
        return proofs.flatMap(\.amr).filter { seen.insert($0).inserted }
    }

    /// The strongest authentication context of the passed checks.
    ///
    /// Contexts are compared as numbers if both are numbers, otherwise as strings.
    public var acr: String {
        proofs.map(\.acr).max { a, b in
            if let a = Int(a), let b = Int(b) { return a < b }
            return a < b
        } ?? "0"
    }
}

/// A check that the user passed.
public struct Proof: Hashable, Sendable, Codable {
    /// The name of the check in `checks.yaml`.
    public let check: String
    /// The credential that was used.
    ///
    /// A passed check satisfies every check that verifies the same credential.
    public let credential: Credential
    /// When the check was passed, according to the local clock, in milliseconds since 1970 UTC.
    ///
    /// The age of an authentication is computed from ``provedAt`` instead.
    public let at: Int64
    /// The authentication context of the passed check (`acr`).
    public let acr: String
    /// The authentication methods (RFC 8176).
    public let amr: [String]
    /// The client that the check was passed for, or `nil` if the result is not bound to a client.
    public let client: String?
    /// The user's identity at a custom identity provider, or `nil` if the check uses none.
    public let identity: ExternalIdentity?
    /// Whether the user chose to be remembered, which makes the result valid for longer if the check allows it.
    ///
    /// `nil` means no.
    public let isRemembered: Bool?
    /// The external provider's report about the time of authentication, or `nil` for a local check.
    public let elsewhere: ProofElsewhere?

    /// The time of the user's authentication, in milliseconds since 1970 UTC, as reported by the external provider if
    /// there is one.
    ///
    /// `nil` for a remembered device. Also `nil` if the provider reported no time, because the user may have signed in
    /// there weeks ago.
    public var provedAt: Int64? {
        switch credential {
        case .federated: elsewhere?.at
        case .device: nil
        default: at
        }
    }

    /// Creates a passed check.
    public init(
        check: String,
        credential: Credential,
        at: Int64,
        acr: String,
        amr: [String],
        client: String? = nil,
        identity: ExternalIdentity? = nil,
        isRemembered: Bool? = nil,
        elsewhere: ProofElsewhere? = nil
    ) {
        self.elsewhere = elsewhere
        self.check = check
        self.credential = credential
        self.at = at
        self.acr = acr
        self.amr = amr
        self.client = client
        self.identity = identity
        self.isRemembered = isRemembered
    }
}

extension [Proof] {
    /// Returns these checks with newer checks added.
    ///
    /// Only the newest result of each check remains, so that repeated step-ups do not make a session grow without
    /// limit.
    public func updated(by newer: [Proof]) -> [Proof] {
        filter { old in !newer.contains { $0.check == old.check && $0.client == old.client } } + newer
    }
}

/// An external provider's report about when the user authenticated there.
public struct ProofElsewhere: Hashable, Sendable, Codable {
    /// The time in milliseconds since 1970 UTC, or `nil` if the provider reported none.
    public let at: Int64?
    /// Whether the authority requested that the provider authenticate the user again, and accepted the response as a
    /// new authentication.
    ///
    /// `nil` means no.
    public let wasAskedAnew: Bool?

    /// Creates a report.
    public init(at: Int64?, wasAskedAnew: Bool? = nil) {
        self.at = at
        self.wasAskedAnew = wasAskedAnew
    }
}
