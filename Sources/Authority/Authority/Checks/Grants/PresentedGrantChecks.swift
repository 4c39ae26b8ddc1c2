import AuthorityStore
import OAuth

/// The checks of a code or a refresh token that a client presents, in the order in which they are made, and the grants that
/// make each.
///
/// The other grants present nothing that was given before, but for a device's code, which is bound to client and policy by
/// the statement that finds it. That each is used once is decided by the statement that uses it up.
enum PresentedGrantChecks {
    /// One line a check.
    static let table: [(check: any PresentedGrantCheck, grants: Set<GrantType>)] = [
        (SameClientCheck(), [.authorizationCode, .refreshToken]),
        (SamePolicyCheck(), [.authorizationCode, .refreshToken]),
        (SameRedirectURICheck(), [.authorizationCode]),
        (VerifierCheck(), [.authorizationCode]),
        (SameResourceCheck(), [.authorizationCode]),
        (LiveFamilyCheck(), [.refreshToken]),
    ]

    /// Refuses what a client presents, or returns.
    static func apply(_ grant: GrantType, to presented: PresentedGrant) throws {
        for (check, grants) in table where grants.contains(grant) { try check.apply(to: presented) }
    }
}

/// One condition that a code or a refresh token must meet; the first paragraph of its comment stands in
/// `docs/authority.md`.
protocol PresentedGrantCheck: Sendable {
    /// Refuses it.
    func apply(to presented: PresentedGrant) throws
}

/// A code or a refresh token that a client presents, and the terms on which it was given.
struct PresentedGrant {
    /// The request that it came with.
    let call: ProgramCall
    /// Its name in refusals.
    let noun: String
    /// The client it was given to.
    let client: String
    /// The policy at whose endpoint it was given.
    let policy: String
    /// The contents of a code, with what the request shows for it.
    var code: (body: CodeBody, redirectURI: String, verifier: Secret)?
    /// The family of a refresh token.
    var family: FamilyRow?
}
