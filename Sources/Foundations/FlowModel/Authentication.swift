public import OAuth

/// A person with the proofs of who they are, and their times.
///
/// A finished flow writes it as a row that is bound to one pending request and good for one use; it is never passed by
/// hand.
public struct Authentication: Hashable, Sendable, Codable {
    /// The person.
    public let user: UserID
    /// The checks that were passed, oldest first.
    public let proofs: [Proof]
    /// True if the person agreed to what the requirement asked.
    public let consented: Bool
    /// True if the account was made by this flow.
    public let isNewUser: Bool
    /// The claims that a service outside said of the person before tokens were issued, by the policy's names; nil for none.
    ///
    /// A renewal keeps them.
    public var said: [String: JSONValue]?
    /// True if the flow set a new password in place of one that was forgotten; nil if not.
    public var isForgotPassword: Bool?

    /// A person with proofs.
    public init(user: UserID, proofs: [Proof], consented: Bool = false, isNewUser: Bool = false) {
        self.user = user
        self.proofs = proofs
        self.consented = consented
        self.isNewUser = isNewUser
    }

    /// The same with other proofs.
    public func with(proofs: [Proof]) -> Authentication {
        var copy = Authentication(user: user, proofs: proofs, consented: consented, isNewUser: isNewUser)
        copy.said = said
        copy.isForgotPassword = isForgotPassword
        return copy
    }

    /// The time at which the person last proved who they are, in milliseconds since 1970 UTC; `auth_time` is its seconds (OpenID
    /// Connect Core §2).
    ///
    /// 0 where nobody says: then no request for a proof of some age is met.
    public var authTime: Int64 { proofs.compactMap(\.provedAt).max() ?? 0 }

    /// The authentication methods (RFC 8176), each once, in the order they were used.
    public var amr: [String] {
        var seen: Set<String> = []
        return proofs.flatMap(\.amr).filter { seen.insert($0).inserted }
    }

    /// The strongest authentication context that was reached: the greatest, as numbers where they are numbers.
    public var acr: String {
        proofs.map(\.acr).max { a, b in
            if let a = Int(a), let b = Int(b) { return a < b }
            return a < b
        } ?? "0"
    }
}

/// A check that was passed.
public struct Proof: Hashable, Sendable, Codable {
    /// The name of the check in `checks.yaml`.
    public let check: String
    /// The credential that was used; a proof over it meets every check over it.
    public let credential: Credential
    /// The time at which it was taken here, in milliseconds since 1970 UTC; ``provedAt`` is the time that ages are counted from.
    public let at: Int64
    /// The authentication context it reaches.
    public let acr: String
    /// The methods it used (RFC 8176).
    public let amr: [String]
    /// The client for which it was given; nil if it was given for none in particular.
    public let client: String?
    /// The person as a custom identity provider knows them, if the check is one.
    public let identity: ExternalIdentity?
    /// True if the person asked to be remembered, so that it counts as long as the check allows for that; nil if not.
    public let isRemembered: Bool?
    /// The word of a provider outside on its time; nil for a proof that was given here.
    public let elsewhere: ProofElsewhere?

    /// The time at which the person proved who they are, in milliseconds since 1970 UTC; at a provider outside what that
    /// says.
    ///
    /// Nil if it does not say it, since the person may have been signed in there for weeks, and for a device that is only
    /// known.
    public var provedAt: Int64? {
        switch credential {
        case .federated: elsewhere?.at
        case .device: nil
        default: at
        }
    }

    /// A check that was passed.
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
    /// These proofs with newer ones: of each check the newest is kept, so that a session does not grow by every step-up.
    public func updated(by newer: [Proof]) -> [Proof] {
        filter { old in !newer.contains { $0.check == old.check && $0.client == old.client } } + newer
    }
}

/// The word of a provider outside on when a person proved there who they are.
public struct ProofElsewhere: Hashable, Sendable, Codable {
    /// The time, in milliseconds since 1970 UTC; nil if the provider does not say it.
    public let at: Int64?
    /// True if the request was for a fresh proof, and the answer passed as one; nil if not.
    public let wasAskedAnew: Bool?

    /// The word of a provider.
    public init(at: Int64?, wasAskedAnew: Bool? = nil) {
        self.at = at
        self.wasAskedAnew = wasAskedAnew
    }
}
