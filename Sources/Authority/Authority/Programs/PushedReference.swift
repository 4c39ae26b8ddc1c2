import AuthorityStore
import Foundation
import OAuth
import Policies

/// The reference to a pushed authorization request (RFC 9126 §2.2).
enum PushedReference {
    /// The life of a pushed request.
    static let life: Duration = .seconds(90)
    /// The beginning of a reference.
    static let prefix = "urn:ietf:params:oauth:request_uri:"
}

extension AuthorizationRequests {
    /// Takes the parameters of the pushed request that an authorization request names, which cannot be taken again
    /// (RFC 9126 §4); one that names none is whole by itself.
    ///
    /// - Throws: ``AuthorizationRefusal/page(_:)`` if there is no such request of this client at this policy.
    func withPushed(_ form: Form, policy: PolicyID) async throws -> Form {
        guard let uri = form["request_uri"], uri.hasPrefix(PushedReference.prefix), let client = form["client_id"]
        else {
            return form
        }
        let row = try await authority.store.pushedRequests.take(
            OpaqueCode.hash(Secret(String(uri.dropFirst(PushedReference.prefix.count)))),
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
