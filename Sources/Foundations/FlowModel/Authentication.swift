public import OAuth

/// An authenticated user and the checks that the user passed.
public struct Authentication: Hashable, Sendable, Codable {
    /// The authenticated user.
    public let user: UserID
    /// The passed checks, oldest first.
    public let proofs: [Proof]
    /// Whether the user gave the required consent.
    public let consented: Bool
    /// Whether this flow created the account.
    public let isNewUser: Bool
    /// The claim values that an external service supplied for the tokens, keyed by the claims' names in the policy.
    public var said: [String: JSONValue]?
    /// Whether the flow replaced a forgotten password (`nil` means `false`).
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

    /// The latest authentication time in milliseconds since 1970 UTC (OpenID Connect Core §2), or 0 if it is unknown.
    ///
    /// Tokens contain it as `auth_time`, in seconds. An unknown time never satisfies a maximum age.
    public var authTime: Int64 { proofs.compactMap(\.provedAt).max() ?? 0 }

    /// The authentication methods that the user used (RFC 8176), without duplicates, in order of use.
    public var amr: [String] {
        var seen: Set<String> = []
        return proofs.flatMap(\.amr).filter { seen.insert($0).inserted }
    }

    /// The strongest authentication context of the passed checks, where numeric contexts are compared as numbers.
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
    /// The time at which the check was passed, by the local clock, in milliseconds since 1970 UTC.
    public let at: Int64
    /// The authentication context of the passed check (`acr`).
    public let acr: String
    /// The authentication methods that the user used to pass the check (RFC 8176).
    public let amr: [String]
    /// The client for which the check was passed, or `nil` if the result is valid for all clients.
    public let client: String?
    /// The user's identity at a custom identity provider, or `nil` if the check uses none.
    public let identity: ExternalIdentity?
    /// Whether the user chose to be remembered, which can extend the result's validity (`nil` means `false`).
    public let isRemembered: Bool?
    /// The external provider's report about the time of authentication, or `nil` for a local check.
    public let elsewhere: ProofElsewhere?

    /// The time of the user's authentication, which an external provider may report, in milliseconds since 1970 UTC.
    ///
    /// The time is `nil` if the provider reported none or if a remembered device passed the check, because the user may
    /// have authenticated weeks ago.
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
    /// Returns these checks combined with `newer`, limited to the newest result for each check and client.
    public func updated(by newer: [Proof]) -> [Proof] {
        filter { old in !newer.contains { $0.check == old.check && $0.client == old.client } } + newer
    }
}

/// An external provider's report about the time of the user's authentication.
public struct ProofElsewhere: Hashable, Sendable, Codable {
    /// The time of the authentication, in milliseconds since 1970 UTC, or `nil` if the provider reported no time.
    public let at: Int64?
    /// Whether the provider authenticated the user again at the authority's request (`nil` means `false`).
    public let wasAskedAnew: Bool?

    /// Creates a provider's report about the time of authentication.
    public init(at: Int64?, wasAskedAnew: Bool? = nil) {
        self.at = at
        self.wasAskedAnew = wasAskedAnew
    }
}
