import AuthorityStore
import FlowModel
import Foundation
import Moments
public import OAuth
import Policies
import StoreRefusals

extension Authority {
    /// The life of a pushed request.
    static let pushedLife: Duration = .seconds(90)
    /// The beginning of a reference (RFC 9126 §2.2).
    static let pushedPrefix = "urn:ietf:params:oauth:request_uri:"

    /// Answers the pushed authorization request endpoint (RFC 9126 §2).
    ///
    /// - Returns: The reference and its life.
    /// - Throws: `OAuthError`, or a `Refusal` of the rules that the socket has as well.
    public func push(_ request: ProgramRequest) async throws -> JSONValue {
        try await Self.rows.storing {
            let call = try await open(request, at: .pushedRequests)
            guard request.form["request_uri"] == nil else {
                throw OAuthError.invalidRequest("a pushed request names no request_uri")
            }
            _ = try request.resource()
            var parameters: [String: String] = ["client_id": call.client.id]
            for name in AuthorizationEndpoint.parameters { parameters[name] = request.form[name] ?? parameters[name] }
            do {
                _ = try await checked(Form(parameters), policy: call.policy.id, at: .push)
            } catch AuthorizationRefusal.page(let error) {
                throw error
            } catch AuthorizationRefusal.answer(_, let error) {
                throw error
            }
            let reference = OpaqueCode.random()
            try await store.pushedRequests.add(
                PushedRequestRow(
                    hash: OpaqueCode.hash(reference),
                    origin: request.origin.key,
                    client: call.client.id,
                    policy: call.policy.id.description,
                    body: try JSONEncoder().encode(parameters),
                    expires: Deadline(Self.pushedLife, after: call.now)
                ),
                share: call.share
            )
            return [
                "request_uri": .string(Self.pushedPrefix + reference.reveal()),
                "expires_in": .int(Self.pushedLife.milliseconds / 1000),
            ]
        }
    }

    /// Takes the parameters of the pushed request that an authorization request names, which nobody can take again
    /// (RFC 9126 §4); one that names none is whole by itself.
    ///
    /// - Throws: ``AuthorizationRefusal/page(_:)`` if there is no such request of this client at this policy.
    func withPushed(_ form: Form, policy: PolicyID) async throws -> Form {
        guard let uri = form["request_uri"], uri.hasPrefix(Self.pushedPrefix), let client = form["client_id"] else {
            return form
        }
        let row = try await store.pushedRequests.take(
            OpaqueCode.hash(Secret(String(uri.dropFirst(Self.pushedPrefix.count)))),
            client: client,
            policy: policy.description
        )
        guard let row else {
            throw AuthorizationRefusal.page(
                OAuthError(code: .invalidRequestURI, description: "request_uri is unknown, used or expired")
            )
        }
        return Form(try JSONDecoder().decode([String: String].self, from: row.body))
    }
}
