import Authority
import HTTPServer
import HTTPTypes
import Hummingbird
import OAuth
import Policies

/// The userinfo endpoint (OpenID Connect Core §5.3).
struct UserinfoRoute: AuthorityRoute {
    let place: AuthorityPaths
    let door: ProgramEndpoints

    var paths: [String] { place.paths(behindPolicy: AuthorityEndpoint.userinfo.path) }
    var methods: [HTTPRequest.Method] { [.get, .post] }
    var operation: RouteOperation? {
        RouteOperation(
            summary: "Get the claims of the token's user (OpenID Connect Core §5.3).",
            answer: .document(status: 200),
            proof: .bearer
        )
    }

    func answer(_ request: Request, _ context: HTTPContext) async throws -> Response {
        let policy = try place.policy(context, query: try request.query())
        let problems = ProgramProblems(door: door, policy: policy, request: request, context: context)
        return try await problems.answering {
            let page = CallingPage(request, place)
            let token: Secret?
            do {
                token = try await Self.token(request, context)
            } catch let error as OAuthError {
                let reader = try await door.programs.reader(page, at: .userinfo)
                return try await problems.answering(reader: reader) { throw error }
            }
            let reader = try await door.programs.reader(page, token: token)
            return try await problems.answering(reader: reader) {
                guard let token else {
                    // A request without a token gets a challenge without an error code (RFC 6750 §3.1).
                    let challenge = WWWAuthenticate(realm: door.authority.issuer(of: policy)).description
                    return Response(status: .unauthorized, headers: [.wwwAuthenticate: challenge])
                }
                return .program(.ok, try await door.programs.userinfo(token, policy: policy.description))
            }
        }
    }

    /// Returns the token in the `Authorization` field or a form, never in the query, or `nil` (RFC 6750 §2.1, §2.2).
    ///
    /// - Throws: `invalid_request` if the request contains more than one token (RFC 6750 §3.1).
    private static func token(_ request: Request, _ context: HTTPContext) async throws -> Secret? {
        let form = request.method == .post && request.isForm ? try await ProgramRoute.form(request, context) : nil
        guard form?.repeated.contains("access_token") != true,
            form?["access_token"] == nil || request.headers[.authorization] == nil
        else { throw OAuthError.invalidRequest("the token is repeated; send it once, by one method") }
        if let field = request.headers.value(.authorization) {
            let parts = field.utf8.split(separator: UInt8(ascii: " "), maxSplits: 1).map { Substring($0) }
            guard parts.count == 2, parts[0].lowercased() == "bearer" else { return nil }
            return Secret(String(parts[1]))
        }
        return form?["access_token"].map { Secret($0) }
    }
}
