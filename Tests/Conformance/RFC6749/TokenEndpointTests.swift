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
struct RFC6749TokenEndpointTests {
    private let token = "/local/\(Site.policy)/oauth2/v2.0/token"

    @Test("RFC 6749 §3.2: the token endpoint supports only POST", arguments: [HTTPRequest.Method.get, .put, .delete])
    func methods(_ method: HTTPRequest.Method) async throws {
        #expect(try await Site().send(method, token).status == 405)
    }

    @Test(
        "RFC 6749 §3.2: a body of another type is rejected",
        arguments: ["application/json", "text/plain", "multipart/form-data; boundary=x", ""]
    )
    func types(_ type: String) async throws {
        let headers: HTTPFields = type.isEmpty ? [:] : [.contentType: type]
        let answer = try await Site().send(.post, token, headers: headers, body: "grant_type=client_credentials")
        #expect(answer.status == 400)
        #expect(answer.error == "invalid_request")
    }

    @Test("RFC 6749 §3.2: a repeated parameter is rejected, and an unknown one is ignored")
    func doubled() async throws {
        let site = try await Site()
        let headers: HTTPFields = [.contentType: "application/x-www-form-urlencoded; charset=utf-8"]
        let body = "grant_type=client_credentials&client_id=web&client_secret=\(Site.secret)&scope=tasks.read"
        let twice = try await site.send(.post, token, headers: headers, body: body + "&scope=tasks.read")
        #expect(twice.status == 400)
        #expect(twice.error == "invalid_request")
        #expect(try await site.send(.post, token, headers: headers, body: body + "&mood=good").status == 200)
    }

    @Test("RFC 6749 §3.2: parameters in the query are ignored") func query() async throws {
        let headers: HTTPFields = [.contentType: "application/x-www-form-urlencoded"]
        let answer = try await Site().send(
            .post,
            token + "?grant_type=client_credentials&client_id=app",
            headers: headers
        )
        #expect(answer.status == 401)
        #expect(answer.error == "invalid_client")
    }

    @Test(
        "RFC 6749 §5.2: a missing parameter is invalid_request, and an unknown grant is unsupported_grant_type",
        arguments: [
            ([:], "invalid_request"), (["grant_type": "password"], "unsupported_grant_type"),
            (["grant_type": "authorization_code"], "invalid_request"),
            (["grant_type": "refresh_token"], "invalid_request"),
            (["grant_type": "urn:ietf:params:oauth:grant-type:device_code"], "invalid_request"),
        ]
    )
    func missing(_ parameters: [String: String], _ error: String) async throws {
        let answer = try await Site().post(.token, parameters.merging(["client_id": "app"]) { $1 })
        #expect(answer.status == 400)
        #expect(answer.error == error)
    }

    @Test("RFC 6749 §5.1: tokens are returned as JSON that caches must not store") func answer() async throws {
        let answer = try await Site().tokens()
        #expect(answer.status == 200, "\(answer.description)")
        #expect(answer.headers[.contentType] == "application/json")
        #expect(answer.headers[.cacheControl] == "no-store")
        #expect(answer.headers[HTTPField.Name("Pragma") ?? .date] == "no-cache")
        #expect(answer["token_type"] == "Bearer")
        #expect(answer["expires_in"]?.int == 3600)
        #expect(answer["scope"] == "openid offline_access profile tasks.read")
    }

    @Test("RFC 6749 §4.1.2: of twelve redemptions of a code at two daemons one succeeds, and its tokens are revoked")
    func twelve() async throws {
        let site = try await Site()
        let code = try await site.code()
        let answers = try await withThrowingTaskGroup(of: Site.Answer.self) { group in
            for number in 0..<12 { group.addTask { try await site.redeem(code, daemon: number % 2) } }
            return try await group.reduce(into: [Site.Answer]()) { $0.append($1) }
        }
        let given = answers.filter { $0.status == 200 }
        #expect(given.count == 1)
        #expect(answers.filter { $0.error == "invalid_grant" }.count == 11)
        let token = try #require(given.first?["refresh_token"]?.string)
        #expect(try await site.refresh(token).error == "invalid_grant")
        let access = try #require(given.first?["access_token"]?.string)
        let seen = try await site.post(.introspection, ["token": access], basic: ("web", Site.secret))
        #expect(seen.json == ["active": false])
    }

    @Test(
        "RFC 6749 §4.1.3: a code is bound to its client, redirect URI and policy, and a mismatch does not use it up",
        arguments: [
            (["client_id": "other"], "AADB2C90279"), (["redirect_uri": "https://app.example/other"], "AADB2C90006"),
            (["redirect_uri": "https://app.example/cb/"], "AADB2C90006"), (["code": "made-up"], "AADB2C90080"),
        ]
    )
    func bound(_ change: [String: String], _ number: String) async throws {
        let site = try await Site()
        let code = try await site.code()
        let answer = try await site.redeem(code, change)
        #expect(answer.status == 400)
        #expect(answer.error == "invalid_grant")
        #expect(try await site.redeem(code, policy: "b2c_1_other").error == "invalid_grant")
        #expect(answer.description.hasPrefix(number))
        #expect(try await site.redeem(code).status == 200)
    }

    @Test("RFC 6749 §4.1.2: a code expires after 60 seconds") func short() async throws {
        let site = try await Site()
        let code = try await site.code()
        site.time.advance(by: .seconds(60))
        #expect(try await site.redeem(code).error == "invalid_grant")
    }

    @Test(
        "a client's own token is signed with the client's registered algorithm",
        arguments: [(TokenSigning.Algorithm.rs256, "RS256"), (.edDSA, "EdDSA"), (.es256, "ES256")]
    )
    func algorithm(_ algorithm: TokenSigning.Algorithm, _ name: String) async throws {
        let site = try await Site(clients: [Site.client("itself", signing: algorithm)])
        let form = ["grant_type": "client_credentials", "scope": "tasks.read"]
        let answer = try await site.post(.token, form, basic: ("itself", Site.secret))
        let token = try #require(answer["access_token"]?.string)
        #expect(try UnverifiedJWT(token).alg == name)
        #expect(try await site.claims(token, .accessToken, audience: "tasks-audience")["sub"] == "itself")
        let seen = try await site.post(.introspection, ["token": token], basic: ("web", Site.secret))
        #expect(seen["active"] == true)
    }

    @Test("RFC 6749 §4.4: a confidential client gets a token for itself, without a refresh token") func itself()
        async throws
    {
        let site = try await Site()
        let answer = try await site.clientCredentials()
        #expect(answer.status == 200, "\(answer.description)")
        #expect(answer["refresh_token"] == nil)
        #expect(answer["id_token"] == nil)
        let token = try #require(answer["access_token"]?.string)
        let claims = try await site.claims(token, .accessToken, audience: "tasks-audience")
        #expect(claims["sub"] == "web")
        #expect(claims["client_id"] == "web")
        #expect(claims["oid"] == nil)
        #expect(claims["scope"] == "tasks.read")
    }

    @Test(
        "RFC 6749 §3.3: a client gets no scope for itself that it may not request or that needs a user",
        arguments: ["notes.read", "balance", "nothing", "tasks.read notes.read"]
    )
    func scopes(_ scope: String) async throws {
        let answer = try await Site().clientCredentials(["scope": scope])
        #expect(answer.status == 400)
        #expect(answer.error == "invalid_scope")
    }

    @Test("RFC 6749 §3.3: /.default means all scopes that a client may request from an API") func all() async throws {
        let answer = try await Site().clientCredentials(["scope": "tasks/.default"])
        #expect(answer["scope"] == "tasks/.default tasks/tasks.read tasks/tasks.write")
    }
}
