import FlowModel
import HTTPServer
import HTTPTypes
import Hummingbird
import OAuth
import Tables

/// The routes about the person that a token names: `/.auth/me`, `/.auth/refresh` and `/.auth/logout` as the protocol's
/// clients know them, and `/protected`.
struct AccountRoutes: Sendable {
    let check: BearerCheck

    func add(to router: Router<HTTPContext>) {
        router.get(".auth/me", use: identities)
        router.get(".auth/refresh", use: refresh)
        router.get(".auth/logout", use: logout)
        router.post(".auth/logout", use: logout)
        router.get("protected", use: protected)
    }

    /// Answers with one entry, the token's.
    ///
    /// The token itself is not repeated: the client has it already, and an answer without it cannot leak it.
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
        // Seconds beyond the year 9999 do not fit a date of the protocol and are left out.
        if let end = identity.claims["exp"]?.int, (0..<253_402_300_800).contains(end) {
            entry["expires_on"] = .string(TableDate.text(end * 1000))
        }
        return JSONAnswer.of([.object(entry)])
    }

    /// Refuses to renew: this server holds no refresh tokens, and the token's issuer makes the next one.
    @Sendable private func refresh(_ request: Request, _ context: HTTPContext) async throws -> Response {
        throw HTTPProblem(.badRequest, code: "invalid_request", Text("tables.noRenewal"))
    }

    /// Ends the token of the request.
    ///
    /// No browser sends one by itself, so no page can sign its visitors out.
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
    /// Claims about the token rather than about its person (RFC 9068 §2.2, OpenID Connect Core §2).
    private static let ofTheToken: Set<String> = [
        "iss", "sub", "oid", "aud", "exp", "nbf", "iat", "jti", "azp", "client_id", "scope", "scp", "tfp", "acr", "amr",
        "auth_time", "ver", "tid", "nonce", "sid", "at_hash", "c_hash", "cnf", "idp", "name", "imf.user", "groups",
    ]

    /// The identity provider that signed the person in, as the protocol's clients name it.
    var provider: String { claims["idp"]?.string ?? "aad" }

    /// The person's profile: from the claim `imf.user`, or made of the other claims.
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
    /// The value as texts, one for each element of a list.
    fileprivate var texts: [String] {
        switch self {
        case .null: []
        case .string(let text): [text]
        case .array(let items): items.flatMap(\.texts)
        case .bool, .int, .double, .object: [String(decoding: bytes, as: UTF8.self)]
        }
    }
}
