public import OAuth

/// An authenticated user, and the checks that the user passed.
///
/// A finished flow stores its authentication in a database row that is bound to one pending request and can be used
/// once. The flow never passes the authentication on directly.
public struct Authentication: Hashable, Sendable, Codable {
    /// The authenticated user.
    public let user: UserID
    /// The passed checks, oldest first.
    public let proofs: [Proof]
    /// Whether the user gave the required consent.
    public let consented: Bool
    /// Whether this flow created the account.
    public let isNewUser: Bool
    /// The claims that an external service returned before tokens were issued, keyed by their names in the policy.
    ///
    /// The claims are preserved when the tokens are renewed. `nil` if the service returned none.
    public var said: [String: JSONValue]?
    /// Whether the flow replaced a forgotten password (`nil` means no).
    public var isForgotPassword: Bool?

    /// Creates an authentication from passed checks.
    public init(user: UserID, proofs: [Proof], consented: Bool = false, isNewUser: Bool = false) {
        self.user = user
        self.proofs = proofs
        self.consented = consented
        self.isNewUser = isNewUser
    }

    /// Returns a copy of the authentication with the passed checks replaced by `proofs`.
    public func with(proofs: [Proof]) -> Authentication {
        var copy = Authentication(user: user, proofs: proofs, consented: consented, isNewUser: isNewUser)
        copy.said = said
        copy.isForgotPassword = isForgotPassword
        return copy
    }

    /// The time of the user's latest authentication, in milliseconds since 1970 UTC, or 0 if unknown.
    ///
    /// Tokens contain this time, in seconds, as `auth_time` (OpenID Connect Core §2). An unknown time satisfies no
    /// maximum age.
    public var authTime: Int64 { proofs.compactMap(\.provedAt).max() ?? 0 }

    /// The authentication methods (RFC 8176), without duplicates, in order of use.
    public var amr: [String] {
        var seen: Set<String> = []
        return proofs.flatMap(\.amr).filter { seen.insert($0).inserted }
    }

    /// The strongest authentication context of the passed checks (numeric contexts are compared as numbers).
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
    public let credential: Credential
    /// When the check was passed, according to the local clock, in milliseconds since 1970 UTC (see also ``provedAt``).
    public let at: Int64
    /// The authentication context of the passed check (`acr`).
    public let acr: String
    /// The authentication methods (RFC 8176).
    public let amr: [String]
    /// The client that the check was passed for, or `nil` if the result is not bound to a client.
    public let client: String?
    /// The user's identity at a custom identity provider, or `nil` if the check uses none.
    public let identity: ExternalIdentity?
    /// Whether the user chose to be remembered (`nil` means no).
    ///
    /// If so, and if the check allows it, the result stays valid for longer.
    public let isRemembered: Bool?
    /// The external provider's report about the time of authentication, or `nil` for a local check.
    public let elsewhere: ProofElsewhere?

    /// The time of the user's authentication, in milliseconds since 1970 UTC.
    ///
    /// For an external provider, this is the time that the provider reported. `nil` for a remembered device and for a
    /// provider that reported no time, because the user may have signed in weeks ago.
    public var provedAt: Int64? {
        switch credential {
        case .federated: elsewhere?.at
        case .device: nil
        default: at
        }
    }

    /// Creates the record of a passed check.
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
    /// Returns these checks combined with `newer`.
    ///
    /// Only the newest result for each check and client is included, so that a session does not grow without limit.
    public func updated(by newer: [Proof]) -> [Proof] {
        filter { old in !newer.contains { $0.check == old.check && $0.client == old.client } } + newer
    }
}

/// An external provider's report about the time of the user's authentication.
public struct ProofElsewhere: Hashable, Sendable, Codable {
    /// The time in milliseconds since 1970 UTC, or `nil` if the provider reported none.
    public let at: Int64?
    /// Whether the provider authenticated the user again at the authority's request (`nil` means no).
    public let wasAskedAnew: Bool?

    /// Creates a provider's report about the time of authentication.
    public init(at: Int64?, wasAskedAnew: Bool? = nil) {
        self.at = at
        self.wasAskedAnew = wasAskedAnew
    }
}
