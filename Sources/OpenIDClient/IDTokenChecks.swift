import Foundation
import Moments
import OAuth
import Tokens

/// The checks of an ID token that a token endpoint answered with (OpenID Connect Core §3.1.3.7), after its signature,
/// issuer, audience and times.
enum IDTokenChecks {
    /// The tolerance for a provider's clock, in seconds.
    static let leeway: Int64 = 60

    /// The access token that came with an ID token.
    enum Beside {
        /// One, or none, that the token endpoint answered with.
        case answered(Secret?)
        /// None: a caller has brought the ID token by itself.
        case nothing
    }

    /// Verifies an ID token.
    ///
    /// - Parameters:
    ///   - token: The token.
    ///   - key: The provider's key of the name that it has.
    ///   - registration: Our registration there.
    ///   - nonce: The nonce of the request that it answers; nil for a renewal, which has none (§12.2).
    ///   - beside: The access token beside it.
    ///   - now: The time.
    /// - Returns: The verified token.
    /// - Throws: ``ProviderError`` for the first check that fails.
    static func verify(
        _ token: UnverifiedJWT,
        key: VerificationKey,
        _ registration: ProviderRegistration,
        nonce: String?,
        beside: Beside,
        now: Moment
    ) throws(ProviderError) -> VerifiedJWT {
        let verified: VerifiedJWT
        do {
            verified = try JWTVerifier.verify(
                token,
                key: key,
                expected: Expectations(
                    type: .jwt,
                    issuer: registration.issuer,
                    audiences: [registration.clientID],
                    now: now,
                    leewaySec: leeway
                )
            )
        } catch {
            throw ProviderError(.protocolViolation, "the ID token of \(registration.name): \(error)")
        }
        if let fault = fault(verified, registration, nonce, beside) {
            throw ProviderError(.protocolViolation, "the ID token of \(registration.name): \(fault)")
        }
        return verified
    }

    private static func fault(
        _ token: VerifiedJWT,
        _ registration: ProviderRegistration,
        _ asked: String?,
        _ beside: Beside
    ) -> String? {
        if let party = token.claims["azp"], party.string != registration.clientID { return "azp is another client" }
        if token.audiences.count > 1, token.claims["azp"] == nil { return "it has several audiences and no azp" }
        if let asked {
            guard let nonce = token.claims["nonce"]?.string, Secret(nonce) == Secret(asked) else {
                return "nonce is not the request's"
            }
        }
        switch beside {
        case .nothing: break
        case .answered(let accessToken):
            if let hash = token.claims["at_hash"] {
                guard let accessToken, hash.string == token.alg.halfHash(of: accessToken) else {
                    return "at_hash is not the access token's"
                }
            }
        }
        // One tenant of Entra may not sign in the people of another, though all share their keys.
        if let tenant = token.claims["tid"]?.string,
            registration.issuer.hasPrefix("https://login.microsoftonline.com/"),
            !registration.issuer.contains("/\(tenant)/")
        {
            return "tid is another tenant"
        }
        return nil
    }
}
