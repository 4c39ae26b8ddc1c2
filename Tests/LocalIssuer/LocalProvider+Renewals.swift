import Foundation
import HTTPTypes
public import OAuth
import Synchronization
import Tokens

/// Changes the responses to renewals, and gives access tokens an audience.
extension LocalProvider {
    /// Makes renewals and token requests by services fail with 503 and this `Retry-After` field.
    public func pause(retryAfter field: String) {
        state.withLock { $0.pause = (status: .serviceUnavailable, field: field) }
    }

    /// Makes the provider issue access tokens in JWT format with this audience.
    ///
    /// If `audience` is `nil`, the provider issues opaque access tokens.
    ///
    /// - Parameters:
    ///   - audience: The `aud` claim.
    ///   - life: The number of seconds between the tokens' `iat` and `exp` claims.
    public func address(to audience: JSONValue?, life: Int64 = 300) {
        state.withLock {
            $0.audience = audience
            $0.statedLife = life
        }
    }

    /// Marks these scopes as declined by the user.
    ///
    /// A renewal that requests a declined scope fails (RFC 6749 §6).
    public func decline(_ scopes: Set<String>) { state.withLock { $0.declined = scopes } }

    /// The number of renewals that ``hold(_:)`` currently delays.
    public var waitingRenewals: Int { state.withLock { $0.held.count } }

    /// The authorization requests whose codes were redeemed, oldest first.
    public var redeemedRequests: [Form] { state.withLock { $0.redeemedRequests } }

    /// The form parameters of all renewals, oldest first.
    public var renewalForms: [Form] { state.withLock { $0.renewalForms } }

    func hasDeclined(_ form: Form) -> Bool {
        let asked = form["scope"]?.split(separator: " ").map(String.init) ?? []
        return !state.withLock { $0.declined }.isDisjoint(with: asked)
    }

    /// Returns an access token in JWT format, or `nil` if access tokens are opaque.
    ///
    /// The hash of the returned token is added to the claims of the next ID token as `at_hash`.
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
