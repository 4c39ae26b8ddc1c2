import FlowModel
import HTTPServer
import HTTPTypes
import Hummingbird
import OAuth
import Tables

/// The routes `/protected` and `/.auth/{me,refresh,logout}`, which concern the user named by a token.
struct AccountRoutes: Sendable {
    let check: BearerCheck

    func add(to router: Router<HTTPContext>) {
        router.get(".auth/me", use: identities)
        router.get(".auth/refresh", use: refresh)
        router.get(".auth/logout", use: logout)
        router.post(".auth/logout", use: logout)
        router.get("protected", use: protected)
    }

    /// Responds with an array that describes the request's token, without the token itself.
    @Sendable private func identities(_ request: Request, _ context: HTTPContext) async throws -> Response {
        guard let identity = try await check.identity(request, context) else { throw Permission.unauthorized }
        var entry: [String: JSONValue] = [
            "provider_name": .string(identity.provider), "user_id": .string(identity.oid),
            "user_claims": .array(
                identity.claims.sorted { $0.key < $1.key }.flatMap { name, value in
                    value.texts.map { ["typ": .string(name), "val": .string($0)] }
                }
            ),
        ]
        // The protocol does not support dates after the year 9999, so a later expiry time is omitted.
        if let end = identity.claims["exp"]?.int, (0..<253_402_300_800).contains(end) {
            entry["expires_on"] = .string(TableDate.text(end * 1000))
        }
        return JSONAnswer.of([.object(entry)])
    }

    /// Rejects a request to renew the token, because this server stores no refresh tokens.
    @Sendable private func refresh(_ request: Request, _ context: HTTPContext) async throws -> Response {
        throw HTTPProblem(.badRequest, code: "invalid_request", Text("tables.noRenewal"))
    }

    /// Revokes the request's token on this server.
    ///
    /// Browsers never send the token automatically, so a website cannot sign its visitors out of this API.
    @Sendable private func logout(_ request: Request, _ context: HTTPContext) async throws -> Response {
        guard request.uri.query ?? "" == "" else {
            throw HTTPProblem(.badRequest, code: "invalid_request", Text("tables.noParameters"))
        }
        try await check.end(request, context)
        return Response(status: .noContent, headers: [.cacheControl: "no-store"])
    }

    @Sendable private func protected(_ request: Request, _ context: HTTPContext) async throws -> Response {
        guard let identity = try await check.identity(request, context) else { return ProtectedPaths.unauthorized }
        return JSONAnswer.of(identity.user)
    }
}

extension BearerIdentity {
    /// The claims that are not attributes of the user (RFC 9068 §2.2, OpenID Connect Core §2).
    private static let ofTheToken: Set<String> = [
        "iss", "sub", "oid", "aud", "exp", "nbf", "iat", "jti", "azp", "client_id", "scope", "scp", "tfp", "acr", "amr",
        "auth_time", "ver", "tid", "nonce", "sid", "at_hash", "c_hash", "cnf", "idp", "name", "imf.user", "groups",
    ]

    /// The name that the protocol's clients use for the identity provider that signed the user in.
    var provider: String { claims["idp"]?.string ?? "aad" }

    var user: JSONValue {
        if let user = claims["imf.user"]?.object {
            return [
                "id": user["id"] ?? .string(oid), "displayName": user["displayName"] ?? .null,
                "authBy": user["authBy"] ?? .null, "attributes": .object(user["attributes"]?.object ?? [:]),
            ]
        }
        return [
            "id": .string(oid), "displayName": claims["name"] ?? .null,
            "authBy": claims["idp"] ?? claims["tfp"] ?? .null,
            "attributes": .object(claims.filter { !Self.ofTheToken.contains($0.key) }),
        ]
    }
}

extension JSONValue {
    fileprivate var texts: [String] {
        switch self {
        case .null: []
        case .string(let text): [text]
        case .array(let items): items.flatMap(\.texts)
        case .bool, .int, .double, .object: [String(decoding: bytes, as: UTF8.self)]
        }
    }
}
