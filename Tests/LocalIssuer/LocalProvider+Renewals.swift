import Foundation
import HTTPTypes
public import OAuth
import Synchronization
import Tokens

/// Renewals that do not go as they were asked for, and access tokens that say whom they are for.
extension LocalProvider {
    /// From now on it answers renewals with 503 and this `Retry-After`.
    public func pause(retryAfter field: String) {
        state.withLock { $0.pause = (status: .serviceUnavailable, field: field) }
    }

    /// From now on its access tokens are JWTs for this audience; nil for tokens that nobody but it can read.
    ///
    /// - Parameters:
    ///   - audience: The audience.
    ///   - life: The seconds until the end that they say themselves.
    public func address(to audience: JSONValue?, life: Int64 = 300) {
        state.withLock {
            $0.audience = audience
            $0.statedLife = life
        }
    }

    /// From now on the person has declined these scopes: who asks for one of them when renewing gets nothing (RFC 6749 §6).
    public func decline(_ scopes: Set<String>) { state.withLock { $0.declined = scopes } }

    /// The number of renewals that wait for ``hold(_:)`` with false.
    public var waitingRenewals: Int { state.withLock { $0.held.count } }

    /// The authorization requests whose codes were redeemed.
    public var redeemedRequests: [Form] { state.withLock { $0.redeemedRequests } }

    /// The forms of the renewals that were asked for.
    public var renewalForms: [Form] { state.withLock { $0.renewalForms } }

    func hasDeclined(_ form: Form) -> Bool {
        let asked = form["scope"]?.split(separator: " ").map(String.init) ?? []
        return !state.withLock { $0.declined }.isDisjoint(with: asked)
    }

    /// The access token that says whom it is for, if it is to; the ID token beside it has its hash then.
    func accessToken(_ now: inout State) throws -> String? {
        guard let audience = now.audience else { return nil }
        let time = Int64(Date().timeIntervalSince1970)
        let claims: [String: JSONValue] = [
            "iss": .string(issuer), "aud": audience, "sub": .string(now.subject), "client_id": .string(clientID),
            "iat": .int(time), "exp": .int(time + now.statedLife), "jti": .string(CorrelationID.random().description),
        ]
        let token = try TokenMinter.mint(typ: .accessToken, claims: claims, with: now.key)
        now.claims["at_hash"] = .string(SigningAlgorithm.es256.halfHash(of: token))
        return token.reveal()
    }
}
