import Foundation
import HTTPTypes
import Hummingbird
import Moments
public import OAuth
import Synchronization
public import Tokens

/// Issues tokens to services (RFC 6749 §4.4), and exchanges tokens (RFC 8693).
extension LocalProvider {
    /// The form parameters of token requests by services, oldest first.
    public var serviceForms: [Form] { state.withLock { $0.serviceForms } }

    /// Requires services to authenticate with signed assertions instead of with the client's secret.
    ///
    /// The assertions must be signed with `key` and must have `audience` as their audience.
    public func know(_ key: VerificationKey, as audience: String) {
        state.withLock { $0.clientKey = (key, audience) }
    }

    /// Responds to the token request of a service.
    ///
    /// The response contains a refresh token, which the client should discard (RFC 6749 §4.4.3).
    func serve(_ form: Form, _ headers: HTTPFields) async throws -> Response {
        let (number, pause) = state.withLock { state in
            state.serviceForms.append(form)
            return (state.serviceForms.count, state.pause)
        }
        if let pause {
            let field = HTTPField.Name("Retry-After")
            return Response(status: pause.status, headers: field.map { [$0: pause.field] } ?? [:])
        }
        await waitWhileHeld()
        guard try provesService(form, headers) else {
            return Self.json(["error": "invalid_client"], status: .unauthorized)
        }
        guard !hasDeclined(form) else { return Self.json(["error": "invalid_scope"], status: .badRequest) }
        var now = state.withLock { $0 }
        let token = try accessToken(&now) ?? "access-service-\(number)"
        var answer: [String: JSONValue] = [
            "access_token": .string(token), "token_type": "Bearer", "refresh_token": "refresh-of-a-service",
        ]
        answer["expires_in"] = now.life.map { .int($0) }
        answer["scope"] = now.scope.map { .string($0) }
        if form["subject_token"] != nil {
            answer["issued_token_type"] = "urn:ietf:params:oauth:token-type:access_token"
        }
        return Self.json(.object(answer))
    }

    private func provesService(_ form: Form, _ headers: HTTPFields) throws -> Bool {
        guard let (key, audience) = state.withLock({ $0.clientKey }) else { return proves(form, headers) }
        guard let statement = form["client_assertion"],
            form["client_assertion_type"] == "urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
            let token = try? JWTVerifier.verify(
                statement,
                keys: { $0 == key.kid ? key : nil },
                expected: Expectations(
                    type: .jwt,
                    issuer: clientID,
                    audiences: [audience],
                    now: MomentClock.system.now,
                    leewaySec: 5
                )
            ), let id = token.id, token.subject == clientID
        else { return false }
        let now = Int64(Date().timeIntervalSince1970)
        return token.expiresAt <= now + 300 && state.withLock { $0.spent.insert(id).inserted }
    }
}
