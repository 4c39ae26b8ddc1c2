import Authority
import HTTPServer
import HTTPTypes
import Hummingbird
import OAuth
import Policies

/// The userinfo endpoint (OpenID Connect Core §5.3).
struct UserinfoRoute: AuthorityRoute {
    let place: AuthorityPlace
    let door: ProgramDoor

    var paths: [String] { place.paths(behindPolicy: AuthorityEndpoint.userinfo.path) }
    var methods: [HTTPRequest.Method] { [.get, .post] }
    var operation: RouteOperation? {
        RouteOperation(
            summary: "The claims of the token's person (OpenID Connect Core §5.3).",
            answer: .document(status: 200),
            proof: .bearer
        )
    }

    func answer(_ request: Request, _ context: HTTPContext) async throws -> Response {
        let policy = try place.policy(context, query: try request.query())
        let issuer = door.authority.issuer(of: policy)
        guard let token = try await Self.token(request, context) else {
            // Whoever shows no token is told no error (RFC 6750 §3.1).
            let challenge = WWWAuthenticate(realm: issuer).description
            return Response(status: .unauthorized, headers: [.wwwAuthenticate: challenge])
        }
        return try await ProgramProblems(issuer: issuer, context: context).answering {
            .program(.ok, try await door.authority.programs.userinfo(token, policy: policy.description))
        }
    }

    /// The token of the `Authorization` field, or of a form (RFC 6750 §2.1, §2.2); one in the query counts for nothing.
    private static func token(_ request: Request, _ context: HTTPContext) async throws -> Secret? {
        if let field = request.headers[.authorization] {
            let parts = field.split(separator: " ", maxSplits: 1)
            guard parts.count == 2, parts[0].lowercased() == "bearer" else { return nil }
            return Secret(String(parts[1]))
        }
        guard request.method == .post, request.headers[.contentType] != nil else { return nil }
        return try await request.form(context)["access_token"].map { Secret($0) }
    }
}
