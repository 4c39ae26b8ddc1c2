import FlowModel
import HTTPServer
import HTTPTypes
import Localization
import OAuth
import Tables

struct Permission {
    let table: TableDeclaration
    let verb: TableDeclaration.Verb

    /// Returns the owner of the rows that the sender is allowed to access, or an empty string for shared rows.
    func owner(_ sender: RequestIdentity) throws(HTTPProblem) -> String {
        switch table.access(verb) {
        case .disabled:
            throw HTTPProblem(
                .methodNotAllowed,
                code: "method_not_allowed",
                Text("tables.verbDisabled", ["verb": verb.rawValue]),
                headers: [.allow: allowed]
            )
        case .application:
            // The rows of a per-user table belong to a user, and a key does not identify a user.
            guard sender.keys.opensApplication, sender.hasApplicationKey || sender.hasMasterKey, !table.isPerUser
            else { throw unauthorized }
            return ""
        case .admin: return try owner(administrator: sender)
        case .anonymous:
            if table.isPerUser { return try owner(authenticated: sender.identity) }
            return ""
        case .authenticated:
            return try owner(authenticated: sender.identity)
        }
    }

    /// Returns the owner of the rows that an administrator accesses, or an empty string for shared rows.
    ///
    /// Throws an error if the sender is not an administrator, if no master key is configured, or if the table is
    /// per-user and the sender has no token.
    private func owner(administrator sender: RequestIdentity) throws(HTTPProblem) -> String {
        guard sender.keys.opensAdministration else {
            // A sender with a valid token would not gain access with a new token, so the status is 403, not 401.
            throw sender.identity == nil ? unauthorized : Self.administratorsOnly
        }
        if sender.hasMasterKey, !table.isPerUser { return "" }
        guard let identity = sender.identity else { throw unauthorized }
        guard sender.hasMasterKey || identity.isAdministrator else {
            throw Self.administratorsOnly
        }
        return try owner(authenticated: identity)
    }

    private func owner(authenticated identity: BearerIdentity?) throws(HTTPProblem) -> String {
        guard let identity else { throw unauthorized }
        let scope = table.scope(verb)
        guard identity.may(scope) else { throw Self.insufficient(scope ?? "") }
        return table.isPerUser ? identity.owner : ""
    }

    /// The value of the `Allow` field: the methods of the operations that are not disabled (RFC 9110 §15.5.6).
    private var allowed: String {
        let methods: [(TableDeclaration.Verb, String)] = [
            (.read, "GET, HEAD"), (.insert, "POST"), (.update, "PUT, PATCH"), (.delete, "DELETE"),
        ]
        return methods.filter { table.access($0.0) != .disabled }.map(\.1).joined(separator: ", ")
    }

    private var unauthorized: HTTPProblem {
        table.compatibility == .v1 ? Self.unauthorizedInFirstVersion : Self.unauthorized
    }

    private static let unauthorizedInFirstVersion = HTTPProblem(
        .unauthorized,
        code: unauthorized.code,
        message: "Unauthorized",
        headers: unauthorized.headers
    )

    /// The response to an unauthenticated request, whose challenge contains no error code (RFC 6750 §3.1).
    static let unauthorized = HTTPProblem(
        .unauthorized,
        code: "unauthorized",
        Text("tables.signedOut"),
        headers: [.wwwAuthenticate: WWWAuthenticate().description]
    )

    private static let administratorsOnly = HTTPProblem(
        .forbidden,
        code: "forbidden",
        Text("tables.administratorsOnly")
    )

    /// Returns the response to a request whose token does not grant `scope` (RFC 6750 §3.1).
    static func insufficient(_ scope: String) -> HTTPProblem {
        let text = Text("tables.scopeMissing", ["scope": scope])
        let scopes = (try? Scope(scope)).map { [$0] } ?? []
        let challenge = WWWAuthenticate(error: .insufficientScope, errorDescription: text.english, scopes: scopes)
        return HTTPProblem(
            .forbidden,
            code: OAuthError.Code.insufficientScope.rawValue,
            text,
            headers: [.wwwAuthenticate: challenge.description]
        )
    }
}
