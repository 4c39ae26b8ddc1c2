import Foundation
import Moments
import OAuth
import Tokens

/// The checks of an ID token that a token endpoint answered with (OpenID Connect Core §3.1.3.7), after its signature,
/// issuer, audience and times.
enum IDTokenChecks {
    /// The tolerance for a provider's clock, in seconds.
    static let leeway: Int64 = 60

    /// The greatest distance between our clock and the issue of an ID token that was asked for just now, in seconds.
    static let mostAge: Int64 = 600

    /// The nonce that an ID token must have.
    enum Nonce {
        /// That of the request that it answers.
        case of(ProviderRequest)
        /// None, or the one of the ID token before, as far as that is known: it comes with a renewal (§12.2).
        case before(String?)
        /// Any: a caller has brought it.
        case any
    }

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
    ///   - issuer: The issuer that its metadata name.
    ///   - nonce: The nonce that it must have.
    ///   - fresh: The fresh proof that was asked for; nil if a sign-in of before will do.
    ///   - beside: The access token beside it.
    ///   - now: The time.
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

    /// The time at which the person signed in, as a verified ID token says it, in seconds since 1970 UTC and never later than
    /// now; nil if it says none, or one that cannot be.
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
        if token.audiences.count > 1, token.claims["azp"] == nil { return "it has several audiences and no azp" }
        switch registration.place {
        case .issuer, .endpoints: break
        case .policy(let policy, _):
            // Policies of one tenant may share issuer and keys, and one asks less of people than another.
            guard (token.claims["tfp"] ?? token.claims["acr"])?.string?.lowercased() == policy.lowercased() else {
                return "it is another policy's"
            }
        }
        switch asked {
        case .of(let request):
            guard let nonce = token.claims["nonce"]?.string, Secret(nonce) == Secret(request.nonce) else {
                return "nonce is not the request's"
            }
        case .before(let known?):
            guard let nonce = token.claims["nonce"] else { break }
            guard let text = nonce.string, Secret(text) == Secret(known) else { return "nonce is another than before" }
        case .before(nil), .any: break
        }
        switch beside {
        case .nothing:
            guard let issuedAt = token.issuedAt, issuedAt <= now.seconds + leeway else { return "iat has not come" }
        case .answered(let accessToken):
            guard let issuedAt = token.issuedAt, abs(issuedAt - now.seconds) <= mostAge else {
                return "iat is not the time of its issue"
            }
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
