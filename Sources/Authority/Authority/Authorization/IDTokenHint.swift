import FlowModel
import Moments
import OAuth
import Policies
import Tokens

/// An ID token of this authority that a client sends back to name a person; it may have ended.
struct IDTokenHint {
    /// The person.
    let user: UserID
    /// The client it was issued to.
    let client: String

    /// Reads a hint; nil for anything that was not signed here as an ID token of one of the policies.
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
