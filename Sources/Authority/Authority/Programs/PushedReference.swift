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
    /// Consumes the pushed request that `form` refers to and returns its parameters, or returns `form` if it refers to
    /// none (RFC 9126 §4).
    ///
    /// - Throws: ``AuthorizationRefusal/page(_:)`` if the request is unknown, used, expired, or of another client or
    ///   policy.
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
