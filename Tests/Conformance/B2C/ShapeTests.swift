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
    @Test("B2C: the token endpoint is found by path, by /tfp/ and by ?p=, in any case, and the issuer is one")
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
        // Nothing stands behind a policy that is not there, as discovery and the authorization endpoint say too.
        for endpoint in ["token", "revoke", "introspect", "par", "devicecode"] {
            let path = "/local/b2c_1_none/oauth2/v2.0/\(endpoint)"
            let answer = try await site.send(.post, path, headers: headers, body: body)
            #expect(answer.status == 404 && answer.error == "not_found", "\(endpoint)")
        }
    }

    @Test("B2C: the client's own id as a scope gives a token for the client itself") func ownScope() async throws {
        let site = try await Site()
        let answer = try await site.tokens(scopes: ["openid", "app"])
        let claims = try UnverifiedClaims.of(try #require(answer["access_token"]?.string))
        #expect(claims["aud"] == "app")
        #expect(answer["scope"] == "openid app")
    }

    @Test("B2C: profile_info, client_info and the times are as MSAL reads them") func members() async throws {
        let site = try await Site()
        let answer = try await site.redeem(try await site.code(), ["client_info": "1"])
        func decoded(_ name: String) throws -> JSONValue {
            let text = try #require(answer[name]?.string)
            return try StrictJSON.parse(try #require(Base64URL.decode(text)))
        }
        #expect(try decoded("profile_info")["name"] == "Ada")
        #expect(try decoded("profile_info")["tid"] == "local")
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
}
