import Authority
import AuthorityStore
import FlowModel
import Foundation
import HTTPTypes
import Moments
import OAuth
import TestSupport
import Testing
import Tokens

@Suite(.timeLimit(.minutes(2)))
struct B2CShapeTests {
    @Test("B2C: the token endpoint is found by path, by /tfp/ and by ?p=, in any case, with one issuer")
    func addresses() async throws {
        let site = try await Site()
        let headers: HTTPFields = [.contentType: "application/x-www-form-urlencoded"]
        let body = "grant_type=client_credentials&client_id=web&client_secret=\(Site.secret)&scope=tasks.read"
        for path in [
            "/local/\(Site.policy)/oauth2/v2.0/token", "/tfp/local/B2C_1_SIGN_IN/oauth2/v2.0/token",
            "/local/oauth2/v2.0/token?p=B2C_1_sign_in",
        ] {
            let answer = try await site.send(.post, path, headers: headers, body: body)
            #expect(answer.status == 200, "\(path)")
            let claims = try UnverifiedClaims.of(try #require(answer["access_token"]?.string))
            #expect(claims["iss"]?.string == Site.issuer)
            #expect(claims["tfp"]?.string == Site.policy)
        }
        for path in ["/local/oauth2/v2.0/token", "/elsewhere/\(Site.policy)/oauth2/v2.0/token"] {
            #expect(try await site.send(.post, path, headers: headers, body: body).status == 404)
        }
        // These endpoints also report a policy that does not exist, as discovery and the authorization endpoint do.
        for endpoint in ["token", "revoke", "introspect", "par", "devicecode"] {
            let path = "/local/b2c_1_none/oauth2/v2.0/\(endpoint)"
            let answer = try await site.send(.post, path, headers: headers, body: body)
            #expect(answer.status == 404 && answer.error == "not_found", "\(endpoint)")
        }
    }

    @Test("B2C: the client's own id as a scope returns a token for the client itself") func ownScope() async throws {
        let site = try await Site()
        let answer = try await site.tokens(scopes: ["openid", "app"])
        let claims = try UnverifiedClaims.of(try #require(answer["access_token"]?.string))
        #expect(claims["aud"] == "app")
        #expect(answer["scope"] == "openid app")
    }

    @Test("B2C: profile_info, client_info and the times have the form that MSAL reads") func members() async throws {
        let site = try await Site()
        let answer = try await site.redeem(try await site.code(), ["client_info": "1"])
        func decoded(_ name: String) throws -> JSONValue {
            let text = try #require(answer[name]?.string)
            return try StrictJSON.parse(try #require(Base64URL.decode(text)))
        }
        #expect(try decoded("profile_info")["name"] == "Ada")
        #expect(try decoded("profile_info")["tid"] == "local")
        #expect(try decoded("profile_info")["sub"] == .string(Site.user.oid))
        #expect(try decoded("profile_info")["preferred_username"] == "ada@example.org")
        #expect(try decoded("client_info") == ["uid": .string("\(Site.user.oid)-\(Site.policy)"), "utid": "local"])
        #expect(answer["not_before"]?.int == site.time.now.seconds)
        #expect(answer["expires_on"]?.int == site.time.now.seconds + 3600)
        #expect(answer["refresh_token_expires_in"]?.int == 1_209_600)
        let plain = try await site.redeem(try await site.code())
        #expect(plain["client_info"] == nil)
    }

    @Test("B2C: an error's description has its number, the correlation id and the time") func errors() async throws {
        let site = try await Site()
        let id = "11111111-2222-4333-8444-555555555555"
        var headers: HTTPFields = [.contentType: "application/x-www-form-urlencoded"]
        headers[HTTPField.Name("client-request-id") ?? .date] = id
        let answer = try await site.send(
            .post,
            "/local/\(Site.policy)/oauth2/v2.0/token",
            headers: headers,
            body: "grant_type=refresh_token&client_id=app"
        )
        #expect(answer.description.hasPrefix("AADB2C90083: the parameter refresh_token is missing"))
        #expect(answer.description.contains("Correlation ID: \(id) Timestamp: "))
        #expect(answer["correlation_id"]?.string == id)
    }

    /// A rejected request, and the number at the start of its error description.
    struct Refused: Sendable, CustomTestStringConvertible {
        let situation: String
        var endpoint = AuthorityEndpoint.token
        var client: (String, String)?
        let parameters: [String: String]
        let error: String
        let number: Int

        var testDescription: String { situation }
    }

    private static let web = ("web", Site.secret)

    private static let refused: [Refused] = [
        Refused(
            situation: "no client",
            parameters: ["grant_type": "client_credentials"],
            error: "invalid_client",
            number: 90008
        ),
        Refused(
            situation: "unknown client",
            parameters: ["client_id": "nobody"],
            error: "invalid_client",
            number: 90018
        ),
        Refused(situation: "no secret", parameters: ["client_id": "web"], error: "invalid_client", number: 90079),
        Refused(
            situation: "wrong secret",
            client: ("web", "wrong"),
            parameters: ["grant_type": "client_credentials"],
            error: "invalid_client",
            number: 90081
        ),
        Refused(
            situation: "a public client's secret",
            parameters: ["client_id": "app", "client_secret": "x"],
            error: "invalid_client",
            number: 90084
        ),
        Refused(
            situation: "a public client where one must prove itself",
            endpoint: .introspection,
            parameters: ["client_id": "app", "token": "x"],
            error: "invalid_client",
            number: 90058
        ),
        Refused(
            situation: "no grant",
            parameters: ["client_id": "app"],
            error: "invalid_request",
            number: 90083
        ),
        Refused(
            situation: "unknown grant",
            parameters: ["client_id": "app", "grant_type": "password"],
            error: "unsupported_grant_type",
            number: 90086
        ),
        Refused(
            situation: "unknown refresh token",
            parameters: ["client_id": "app", "grant_type": "refresh_token", "refresh_token": "x"],
            error: "invalid_grant",
            number: 90080
        ),
        Refused(
            situation: "no token to revoke",
            endpoint: .revocation,
            parameters: ["client_id": "app"],
            error: "invalid_request",
            number: 90083
        ),
        scope("no scope", of: "bare", nil, 90010),
        scope("unknown scope", "tasks.fly", 90117),
        scope("a character that no scope has", "tasks.read \"", 99005),
        scope("scopes of two APIs", "tasks.read notes.read", 90146),
        scope("an API that is not the client's", "notes.read", 90205),
        scope("a scope that needs a person", "balance", 90205),
        Refused(
            situation: "a scope that is not the client's, for a device",
            endpoint: .deviceAuthorization,
            parameters: ["client_id": "app", "scope": "notes.read"],
            error: "invalid_scope",
            number: 90205
        ),
        Refused(
            situation: "unknown resource",
            client: web,
            parameters: [
                "grant_type": "client_credentials", "scope": "tasks.read", "resource": "https://elsewhere.example",
            ],
            error: "invalid_target",
            number: 90146
        ),
    ]

    /// Returns a rejected request in which a client requests a token for itself.
    private static func scope(
        _ situation: String,
        of client: String = "web",
        _ scope: String?,
        _ number: Int
    )
        -> Refused
    {
        var parameters = ["grant_type": "client_credentials"]
        parameters["scope"] = scope
        return Refused(
            situation: situation,
            client: (client, Site.secret),
            parameters: parameters,
            error: "invalid_scope",
            number: number
        )
    }

    @Test("B2C: each error of the endpoints for programs has its number", arguments: refused)
    func number(_ refused: Refused) async throws {
        let answer = try await Site().post(refused.endpoint, refused.parameters, basic: refused.client)
        #expect(answer.error == refused.error)
        #expect(answer.description.hasPrefix("AADB2C\(refused.number): "), "\(answer.description)")
    }

    @Test("B2C: a client without redirect URIs gets an error page") func nowhere() async throws {
        let answer = try await Site().authorize(["client_id": "stranger"])
        #expect(answer.status == 400 && answer.location.isEmpty && answer.text.contains("AADB2C90007"))
    }
}
