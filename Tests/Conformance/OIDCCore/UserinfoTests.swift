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
struct OIDCCoreUserinfoTests {
    private let path = "/local/\(Site.policy)\(AuthorityEndpoint.userinfo.path)"

    private func ask(_ site: Site, _ token: String, path: String? = nil) async throws -> Site.Answer {
        try await site.send(.get, path ?? self.path, headers: [.authorization: "Bearer \(token)"])
    }

    @Test("OpenID Connect Core §5.4: the scopes select which of the policy's claims are returned") func scopes()
        async throws
    {
        let site = try await Site()
        for (scopes, names) in [
            (["openid"], ["oid", "sub"]),
            (["openid", "profile"], ["city", "name", "oid", "preferred_username", "sub"]),
            (["openid", "email"], ["email", "oid", "sub"]),
        ] {
            let tokens = try await site.tokens(scopes: scopes + ["tasks.read"])
            let answer = try await ask(site, try #require(tokens["access_token"]?.string))
            #expect(answer.status == 200)
            #expect(answer.json?.object?.keys.sorted() == names)
            #expect(answer["sub"]?.string == Site.user.oid)
        }
    }

    @Test("OpenID Connect Core §5.3.1: GET and POST are supported, with the token in the field or in the form")
    func methods()
        async throws
    {
        let site = try await Site()
        let token = try #require(try await site.tokens()["access_token"]?.string)
        #expect(try await ask(site, token).headers[.contentType] == "application/json")
        let field = try await site.send(.post, path, headers: [.authorization: "Bearer \(token)"])
        #expect(field.status == 200)
        let form: HTTPFields = [.contentType: "application/x-www-form-urlencoded"]
        #expect(try await site.send(.post, path, headers: form, body: "access_token=\(token)").status == 200)
    }

    @Test("OpenID Connect Core §5.3: a client's token, another policy's token and one without openid are rejected")
    func others() async throws {
        let site = try await Site()
        let own = try #require(try await site.clientCredentials()["access_token"]?.string)
        #expect(try await ask(site, own).status == 401)
        let token = try #require(try await site.tokens()["access_token"]?.string)
        #expect(try await ask(site, token, path: path.replacing(Site.policy, with: "b2c_1_other")).status == 401)
        let plain = try #require(try await site.tokens(scopes: ["tasks.read"])["access_token"]?.string)
        let answer = try await ask(site, plain)
        #expect(answer.status == 403)
        #expect(answer.error == "insufficient_scope")
    }
}
