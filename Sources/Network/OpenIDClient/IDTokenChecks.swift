import FlowModel
import Foundation
import Moments
import OAuth
import Tokens

/// The checks that an ID token must pass, including those for its nonce and `at_hash` (OpenID Connect Core §3.1.3.7).
enum IDTokenChecks {
    /// The tolerated difference between the provider's clock and the local clock, in seconds.
    static let leeway: Int64 = 60

    /// The maximum difference, in seconds, between the local clock and the `iat` of a newly issued ID token.
    static let mostAge: Int64 = 600

    enum Nonce {
        case of(ProviderRequest)
        /// The nonce of the previous ID token, or `nil` to accept any nonce.
        ///
        /// A renewed ID token can omit the nonce (OpenID Connect Core §12.2).
        case before(String?)
        /// Any nonce, because a caller presented the token.
        case any
    }

    /// The access token that came with an ID token.
    enum Beside {
        /// The access token in the token endpoint's response, or `nil` if the response contained none.
        case answered(Secret?)
        /// No access token, because a caller presented only the ID token.
        case nothing
    }

    /// Verifies an ID token, including its signature with `key`, and throws an error for the first check that fails.
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
            let failure = ProviderError(.protocolViolation, "the ID token of \(registration.name): \(error)")
            guard [.expired, .notYetValid].contains(error.code) else { throw failure }
            let issuedAt = (try? token.unverifiedClaims())?["iat"]?.int
            throw failure.saying(skew(of: issuedAt, beside, registration, at: now))
        }
        let age = fresh?.fault(of: verified.claims["auth_time"], leeway: leeway, at: now.seconds)
        if let fault = fault(verified, registration, nonce, beside, at: now) ?? age {
            throw ProviderError(.protocolViolation, "the ID token of \(registration.name): \(fault)")
                .saying(fault == farIssuedAt ? skew(of: verified.issuedAt, beside, registration, at: now) : nil)
        }
        return verified
    }

    private static let farIssuedAt = "iat is too far from the current time"

    /// Returns the message for an ID token that was just issued, but not now according to this machine's clock.
    private static func skew(
        of issuedAt: Int64?,
        _ beside: Beside,
        _ registration: ProviderRegistration,
        at now: Moment
    ) -> EnglishText? {
        guard case .answered = beside, let issuedAt else { return nil }
        let (difference, isOver) = issuedAt.subtractingReportingOverflow(now.seconds)
        let clocks = ClockDifference(seconds: difference, provider: registration.displayName)
        return isOver || !clocks.isTooLarge ? nil : clocks.said
    }

    /// Returns `auth_time` in seconds since 1970 UTC, or `nil` if it is missing or invalid.
    ///
    /// If the time is after `now`, but by no more than ``leeway``, returns `now`.
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
            // A tenant's policies can share an issuer and keys, but another policy could be weaker.
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
                return farIssuedAt
            }
            if let hash = token.claims["at_hash"] {
                guard let accessToken, hash.string == token.alg.halfHash(of: accessToken) else {
                    return "at_hash does not match the access token"
                }
            }
        }
        // The signature does not tell Entra tenants apart, because all tenants share the same keys.
        if let tenant = token.claims["tid"]?.string,
            registration.issuer.hasPrefix("https://login.microsoftonline.com/"),
            !registration.issuer.contains("/\(tenant)/")
        {
            return "tid is another tenant"
        }
        return nil
    }
}
