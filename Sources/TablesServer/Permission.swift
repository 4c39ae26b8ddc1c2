import HTTPServer
import HTTPTypes
import OAuth
import Tables

/// Decides whether a caller may use a verb of a table.
struct Permission {
    let table: TableDefinition
    let verb: TableDefinition.Verb

    /// Whose rows the caller works on.
    ///
    /// - Throws: `HTTPProblem` 401, 403 or 405.
    func owner(_ caller: Caller?) throws(HTTPProblem) -> String {
        switch table.access(verb) {
        case .disabled:
            throw HTTPProblem(
                .methodNotAllowed,
                code: "method_not_allowed",
                message: "Method \(verb.rawValue) is not allowed"
            )
        case .application, .admin:
            // Both ask for a key, and no key is configured.
            throw Self.unauthorized
        case .anonymous:
            if table.isPerUser { return try owner(authenticated: caller) }
            return ""
        case .authenticated:
            return try owner(authenticated: caller)
        }
    }

    private func owner(authenticated caller: Caller?) throws(HTTPProblem) -> String {
        guard let caller else { throw Self.unauthorized }
        let scope = table.scope(verb)
        guard caller.may(scope) else { throw Self.insufficient(scope ?? "") }
        return table.isPerUser ? caller.owner : ""
    }

    /// There is no token (RFC 6750 §3.1: then no error code either).
    static let unauthorized = HTTPProblem(
        .unauthorized,
        code: "unauthorized",
        message: "You must be logged in to use this application",
        headers: [.wwwAuthenticate: WWWAuthenticate().description]
    )

    /// The token lacks `scope` (RFC 6750 §3.1).
    static func insufficient(_ scope: String) -> HTTPProblem {
        let message = "the token does not grant \(scope)"
        let scopes = (try? Scope(scope)).map { [$0] } ?? []
        let challenge = WWWAuthenticate(error: .insufficientScope, errorDescription: message, scopes: scopes)
        return HTTPProblem(
            .forbidden,
            code: OAuthError.Code.insufficientScope.rawValue,
            message: message,
            headers: [.wwwAuthenticate: challenge.description]
        )
    }
}
