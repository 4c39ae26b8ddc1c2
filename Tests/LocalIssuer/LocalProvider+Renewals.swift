import Foundation
import HTTPTypes
public import OAuth
import Synchronization
import Tokens

/// Renewals that differ from the request, and access tokens with an audience.
extension LocalProvider {
    /// Makes renewals respond with 503 and this `Retry-After`.
    public func pause(retryAfter field: String) {
        state.withLock { $0.pause = (status: .serviceUnavailable, field: field) }
    }

    /// Makes access tokens JWTs for this audience.
    ///
    /// `nil` makes them opaque.
    ///
    /// - Parameters:
    ///   - audience: The `aud` claim.
    ///   - life: The lifetime that the tokens state, in seconds.
    public func address(to audience: JSONValue?, life: Int64 = 300) {
        state.withLock {
            $0.audience = audience
            $0.statedLife = life
        }
    }

    /// Marks these scopes as declined by the user.
    ///
    /// A renewal that requests one of them fails (RFC 6749 §6).
    public func decline(_ scopes: Set<String>) { state.withLock { $0.declined = scopes } }

    /// The number of renewals that wait until ``hold(_:)`` is called with false.
    public var waitingRenewals: Int { state.withLock { $0.held.count } }

    /// The authorization requests whose codes were redeemed.
    public var redeemedRequests: [Form] { state.withLock { $0.redeemedRequests } }

    /// The forms of all renewals.
    public var renewalForms: [Form] { state.withLock { $0.renewalForms } }

    func hasDeclined(_ form: Form) -> Bool {
        let asked = form["scope"]?.split(separator: " ").map(String.init) ?? []
        return !state.withLock { $0.declined }.isDisjoint(with: asked)
    }

    /// Returns an access token with an audience, or `nil` if tokens are opaque.
    ///
    /// The ID token then contains its hash.
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
