import Foundation
import Moments
import OAuth
import Tokens

/// The checks of an ID token from a token endpoint (OpenID Connect Core §3.1.3.7), in addition to signature, issuer,
/// audience and times.
enum IDTokenChecks {
    /// The tolerated clock skew of the provider, in seconds.
    static let leeway: Int64 = 60

    /// The maximum difference between the local clock and `iat` of an ID token that was just requested, in seconds.
    static let mostAge: Int64 = 600

    /// The nonce that an ID token must contain.
    enum Nonce {
        /// The nonce of this request.
        case of(ProviderRequest)
        /// No nonce, or the nonce of the previous ID token if known, because the token comes from a renewal (§12.2).
        case before(String?)
        /// Any nonce, because a caller presented the token.
        case any
    }

    /// The access token that came with an ID token.
    enum Beside {
        /// The token endpoint's response contained this access token, or none if `nil`.
        case answered(Secret?)
        /// No access token, because a caller presented only the ID token.
        case nothing
    }

    /// Verifies an ID token.
    ///
    /// - Parameters:
    ///   - token: The ID token.
    ///   - key: The provider's key with the token's `kid`.
    ///   - registration: The registration at the provider.
    ///   - issuer: The issuer in the provider's metadata.
    ///   - nonce: The nonce that the token must contain.
    ///   - fresh: The requirement for a new authentication, or `nil` if an earlier authentication is sufficient.
    ///   - beside: The access token that came with the ID token.
    ///   - now: The current time.
    /// - Returns: The verified token.
    /// - Throws: ``ProviderError`` for the first check that fails.
    static func verify(
        _ token: UnverifiedJWT,
        key: VerificationKey,
        _ registration: ProviderRegistration,
        issuer: String,
        nonce: Nonce,
        fresh: FreshProof?,
        beside: Beside,
        now: Moment
    ) throws(ProviderError) -> VerifiedJWT {
        let verified: VerifiedJWT
        do {
            verified = try JWTVerifier.verify(
                token,
                onlyKey: key,
                expected: Expectations(
                    type: .jwt,
                    issuer: issuer,
                    audiences: [registration.clientID],
                    now: now,
                    leewaySec: leeway
                )
            )
        } catch {
            throw ProviderError(.protocolViolation, "the ID token of \(registration.name): \(error)")
        }
        let age = fresh?.fault(of: verified.claims["auth_time"], leeway: leeway, at: now.seconds)
        if let fault = fault(verified, registration, nonce, beside, at: now) ?? age {
            throw ProviderError(.protocolViolation, "the ID token of \(registration.name): \(fault)")
        }
        return verified
    }

    /// Returns when the user signed in according to a verified ID token, in seconds since 1970 UTC and never later than
    /// now, or `nil` if the token has no valid `auth_time`.
    static func authTime(of claims: [String: JSONValue], at now: Moment) -> Int64? {
        guard let time = claims["auth_time"]?.int, time > 0, time - leeway <= now.seconds else { return nil }
        return min(time, now.seconds)
    }

    private static func fault(
        _ token: VerifiedJWT,
        _ registration: ProviderRegistration,
        _ asked: Nonce,
        _ beside: Beside,
        at now: Moment
    ) -> String? {
        if let party = token.claims["azp"], party.string != registration.clientID { return "azp is another client" }
        if token.audiences.count > 1, token.claims["azp"] == nil { return "several audiences without azp" }
        switch registration.place {
        case .issuer, .endpoints: break
        case .policy(let policy, _):
            // A tenant's policies can share issuer and keys, and some policies can require weaker verification than
            // others.
            guard (token.claims["tfp"] ?? token.claims["acr"])?.string?.lowercased() == policy.lowercased() else {
                return "issued by another policy"
            }
        }
        switch asked {
        case .of(let request):
            guard let nonce = token.claims["nonce"]?.string, Secret(nonce) == Secret(request.nonce) else {
                return "nonce does not match the request"
            }
        case .before(let known?):
            guard let nonce = token.claims["nonce"] else { break }
            guard let text = nonce.string, Secret(text) == Secret(known) else { return "nonce has changed" }
        case .before(nil), .any: break
        }
        switch beside {
        case .nothing:
            guard let issuedAt = token.issuedAt, issuedAt <= now.seconds + leeway else { return "iat is in the future" }
        case .answered(let accessToken):
            guard let issuedAt = token.issuedAt, abs(issuedAt - now.seconds) <= mostAge else {
                return "iat is too far from the current time"
            }
            if let hash = token.claims["at_hash"] {
                guard let accessToken, hash.string == token.alg.halfHash(of: accessToken) else {
                    return "at_hash does not match the access token"
                }
            }
        }
        // One Entra tenant must not sign in another tenant's users, although all tenants share their keys.
        if let tenant = token.claims["tid"]?.string,
            registration.issuer.hasPrefix("https://login.microsoftonline.com/"),
            !registration.issuer.contains("/\(tenant)/")
        {
            return "tid is another tenant"
        }
        return nil
    }
}
