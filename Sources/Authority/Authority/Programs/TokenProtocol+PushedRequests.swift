import AuthorityStore
import FlowModel
import Foundation
import Moments
public import OAuth
import Policies
import StoreRefusals

extension TokenProtocol {
    /// Handles a pushed authorization request, and returns `request_uri` and `expires_in` (RFC 9126 §2).
    ///
    /// - Throws: `OAuthError`, or `Refusal` for a rule that also applies to requests over the Unix socket.
    public func push(_ request: ProgramRequest) async throws -> JSONValue {
        try await Authority.rows.storing {
            let opened = try await authority.open(request, at: .pushedRequests)
            let call = try ProgramChecks.unnested(opened)
            let resource = try ProgramChecks.resource(call)
            var parameters: [String: String] = ["client_id": call.client.id]
            for name in AuthorizationEndpoint.parameters { parameters[name] = request.form[name] ?? parameters[name] }
            parameters["resource"] = resource
            do {
                _ = try await authority.requests.checked(Form(parameters), policy: call.policy.id)
            } catch AuthorizationRefusal.page(let error) {
                throw error
            } catch AuthorizationRefusal.answer(_, let error) {
                throw error
            }
            let reference = OpaqueCode.random(at: call.now)
            try await authority.store.pushedRequests.add(
                PushedRequestRow(
                    hash: OpaqueCode.hash(reference),
                    client: call.client.id,
                    policy: call.policy.id.description,
                    body: try JSONEncoder().encode(parameters),
                    expires: Deadline(PushedReference.life, after: call.now)
                ),
                share: call.share
            )
            return [
                "request_uri": .string(PushedReference.prefix + reference.reveal()),
                "expires_in": .int(PushedReference.life.milliseconds / 1000),
            ]
        }
    }
}
