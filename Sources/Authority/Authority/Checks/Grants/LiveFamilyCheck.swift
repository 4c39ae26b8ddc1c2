import AuthorityStore
import OAuth

/// Its family was not revoked, and its person may sign in (RFC 6749 §5.2, RFC 9700 §4.14.2).
struct LiveFamilyCheck: PresentedGrantCheck {
    func apply(to presented: PresentedGrant) throws {
        guard let family = presented.family, family.revokedAt != nil else { return }
        // The holder of a token that was real learns if the account is why.
        throw family.revokedReason == "user_disabled"
            ? OAuthError.invalidGrant(90128, "the account may not sign in")
            : OAuthError.invalidGrant(90129, "the refresh token was revoked")
    }
}
