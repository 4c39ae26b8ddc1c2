import Authority
import HTTPTypes
import OAuth
import TestSupport
import Testing

/// Tests of B2C's error numbers for requests with an issued token or a repeated parameter.
@Suite(.timeLimit(.minutes(2)))
struct B2CNumberTests {
    private func expect(_ answer: Site.Answer, _ error: String, _ number: Int) {
        #expect(answer.status == 400 && answer.error == error && answer["access_token"] == nil)
        #expect(answer.description.hasPrefix("AADB2C\(number): "), "\(answer.description)")
    }

    @Test("B2C: a code redeemed for another resource is AADB2C90146, and remains valid for its own") func resource()
        async throws
    {
        let site = try await Site()
        let code = try await site.code(resource: "https://tasks.example")
        expect(try await site.redeem(code, ["resource": "tasks-audience"]), "invalid_target", 90146)
        expect(try await site.redeem(code, ["resource": "https://elsewhere.example"]), "invalid_target", 90146)
        #expect(try await site.redeem(code, ["resource": "https://tasks.example"]).status == 200)
    }

    @Test("B2C: a renewal for scopes that were not granted is AADB2C90205, and the token remains valid")
    func scopes() async throws {
        let site = try await Site()
        let scopes = ["openid", "offline_access", "tasks.read"]
        let token = try #require(try await site.tokens(scopes: scopes)["refresh_token"]?.string)
        expect(try await site.refresh(token, ["scope": "tasks.write"]), "invalid_scope", 90205)
        expect(try await site.refresh(token, ["scope": "notes.read"]), "invalid_scope", 90205)
        #expect(try await site.refresh(token).status == 200)
    }

    @Test("B2C: a client that is not registered for a grant is AADB2C90224, for codes AADB2C90057") func grants()
        async throws
    {
        let site = try await Site()
        let refresh = ["client_id": "narrow", "grant_type": "refresh_token", "refresh_token": "x"]
        expect(try await site.post(.token, refresh), "unauthorized_client", 90224)
        let device = ["client_id": "narrow", "scope": "openid tasks.read"]
        expect(try await site.post(.deviceAuthorization, device), "unauthorized_client", 90224)
        let answer = try await site.authorize(["client_id": "devices"])
        #expect(answer.reply["error"] == "unauthorized_client" && answer.reply["code"] == nil)
        #expect(answer.reply["error_description"]?.hasPrefix("AADB2C90057: ") == true)
    }

    @Test(
        "B2C: a request for two resources is AADB2C90146 at every endpoint that accepts one",
        arguments: [AuthorityEndpoint.token, .pushedRequests, .deviceAuthorization]
    )
    func resources(_ endpoint: AuthorityEndpoint) async throws {
        let form = Form.encoded([
            ("client_id", "web"), ("client_secret", Site.secret), ("grant_type", "client_credentials"),
            ("scope", "tasks.read"), ("response_type", "code"), ("redirect_uri", Site.redirectURI),
            ("code_challenge", "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"), ("code_challenge_method", "S256"),
            ("resource", "https://tasks.example"), ("resource", "tasks-audience"),
        ])
        let headers: HTTPFields = [.contentType: "application/x-www-form-urlencoded"]
        let path = "/local/\(Site.policy)\(endpoint.path)"
        let answer = try await Site().send(.post, path, headers: headers, body: form)
        expect(answer, "invalid_target", 90146)
    }

    @Test("B2C: a device request without scopes is AADB2C99005, and introspection requires a token")
    func malformed() async throws {
        let site = try await Site()
        let device = ["client_id": "app", "scope": "openid \"x\""]
        expect(try await site.post(.deviceAuthorization, device), "invalid_scope", 99005)
        expect(try await site.post(.introspection, [:], basic: ("web", Site.secret)), "invalid_request", 90083)
        expect(try await site.post(.revocation, ["client_id": "app"]), "invalid_request", 90083)
    }
}
