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
struct RFC8707ResourceTests {
    @Test("RFC 8707 §2.2: the audience is the API and the requested resource") func audience() async throws {
        let answer = try await Site().clientCredentials(["resource": "https://tasks.example"])
        let token = try #require(answer["access_token"]?.string)
        let claims = try UnverifiedClaims.of(token)
        #expect(claims["aud"] == ["tasks-audience", "https://tasks.example"])
    }

    @Test("RFC 8707 §2: a resource without scopes requests all scopes that the client may have") func scopes()
        async throws
    {
        let answer = try await Site().clientCredentials(["resource": "https://tasks.example", "scope": ""])
        #expect(answer["scope"] == "tasks/tasks.read tasks/tasks.write")
    }

    @Test(
        "RFC 8707 §2: a resource of no API, or of another API than the scopes, is invalid_target",
        arguments: [
            "https://elsewhere.example", "https://tasks.example/", "notes", "tasks", "tasks-audience", "web",
        ]
    )
    func unknown(_ resource: String) async throws {
        let answer = try await Site().clientCredentials(["resource": resource])
        #expect(answer.status == 400)
        #expect(answer.error == "invalid_target")
    }

    @Test("RFC 8707 §2.2: a renewal adds no resource, and the rejection does not use the refresh token")
    func renewal() async throws {
        let site = try await Site()
        let resource = ["resource": "https://tasks.example"]
        let plain = try await site.tokens(scopes: ["openid", "offline_access", "tasks.read"])
        let token = try #require(plain["refresh_token"]?.string)
        for scope in [[:], ["scope": "tasks.read"]] {
            #expect(try await site.refresh(token, resource.merging(scope) { $1 }).error == "invalid_target")
        }
        #expect(try await site.refresh(token).status == 200)
        let code = try await site.code(scopes: ["offline_access", "tasks.read"], resource: "https://tasks.example")
        let tokens = try await site.redeem(code)
        let renewed = try await site.refresh(try #require(tokens["refresh_token"]?.string), resource)
        let claims = try UnverifiedClaims.of(try #require(renewed["access_token"]?.string))
        #expect(claims["aud"] == ["tasks-audience", "https://tasks.example"])
    }

    @Test("RFC 8707 §2.2: the grant preserves the resource, and a code returns no other") func grant() async throws {
        let site = try await Site()
        let scopes = ["openid", "offline_access", "tasks.read"]
        let code = try await site.code(scopes: scopes, resource: "https://tasks.example")
        #expect(try await site.redeem(code, ["resource": "https://elsewhere.example"]).error == "invalid_target")
        let tokens = try await site.redeem(code, ["resource": "https://tasks.example"])
        let renewed = try await site.refresh(try #require(tokens["refresh_token"]?.string))
        for answer in [tokens, renewed] {
            let claims = try UnverifiedClaims.of(try #require(answer["access_token"]?.string))
            #expect(claims["aud"] == ["tasks-audience", "https://tasks.example"])
        }
    }
}
