import AuthorityStore
import Foundation
import OAuth
import Policies

/// The reference to a pushed authorization request (RFC 9126 §2.2).
enum PushedReference {
    /// How long a pushed request can be used.
    static let life: Duration = .seconds(90)
    /// The prefix of every reference.
    static let prefix = "urn:ietf:params:oauth:request_uri:"
}

extension AuthorizationRequests {
    /// Returns the parameters of the pushed request that an authorization request refers to, and consumes the pushed
    /// request (RFC 9126 §4).
    ///
    /// A request without a reference is returned unchanged.
    ///
    /// - Throws: ``AuthorizationRefusal/page(_:)`` if this client has no such request at this policy.
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
