import AuthorityStore
import Foundation
import OAuth
import Policies

/// A reference to a pushed authorization request (RFC 9126 §2.2).
enum PushedReference {
    static let life: Duration = .seconds(90)
    static let prefix = "urn:ietf:params:oauth:request_uri:"
}

extension AuthorizationRequests {
    /// Returns the parameters of the pushed request that `form` refers to, or `form` itself if `form` does not refer to
    /// a pushed request (RFC 9126 §4).
    ///
    /// The pushed request is consumed, and cannot be used again.
    ///
    /// - Throws: ``AuthorizationRefusal/page(_:)`` if the pushed request is unknown, used or expired, or if another
    ///   client pushed the request or used another policy's endpoint.
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
