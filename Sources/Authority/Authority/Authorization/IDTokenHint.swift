import FlowModel
import Moments
import OAuth
import Policies
import Tokens

/// An ID token issued by this authority, possibly expired, that a client sends back to identify a user.
struct IDTokenHint {
    let user: UserID
    let client: String

    /// Parses a hint, or returns `nil` if `text` is not an ID token that this authority signed for one of its policies.
    init?(_ text: String, _ context: AuthorizationEndpoint.Context) {
        guard let token = try? UnverifiedJWT(text), let client = (try? token.unverifiedClaims())?["aud"]?.string,
            let key = token.kid.flatMap({ context.ring.verifier($0) })
        else { return nil }
        let expected = Expectations(
            type: .jwt,
            issuers: context.catalogue.policies.keys.map { context.settings.issuer(of: $0) },
            audiences: [client],
            now: context.now,
            acceptsEnded: true
        )
        guard let verified = try? JWTVerifier.verify(token, key: key, expected: expected),
            let subject = verified.subject
        else { return nil }
        user = UserID(oid: subject)
        self.client = client
    }
}
