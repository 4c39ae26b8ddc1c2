import HTTPTypes
import LocalIssuer
import Moments
import OAuth
import RemoteKeys
import TablesServer
import TestSupport
import Testing
import Tokens

@Suite(.timeLimit(.minutes(1)), .indexedStatements)
struct BearerCheckTests {
    @Test("the 401 without a token has a challenge and no error code") func none() async throws {
        try await TestAPI.run { (api: TestAPI) async throws in
            let answer = try await api.send(.get, "/tables/todoitem", token: nil)
            #expect(answer.status == 401 && answer["WWW-Authenticate"] == "Bearer")
            #expect(answer.json?["code"] == 401)
        }
    }

    @Test("X-ZUMO-AUTH is equivalent to Authorization, and two different tokens are 400") func zumo() async throws {
        try await TestAPI.run { (api: TestAPI) async throws in
            let token = try api.token()
            let zumo = ["X-ZUMO-AUTH": token]
            #expect(try await api.send(.get, "/tables/todoitem", token: nil, zumo).status == 200)
            #expect(try await api.send(.get, "/tables/todoitem", token: token, zumo).status == 200)
            #expect(try await api.send(.get, "/tables/todoitem", token: api.token("bob"), zumo).status == 400)
            let basic = ["Authorization": "Basic YTpi"]
            #expect(try await api.send(.get, "/tables/todoitem", token: nil, basic).status == 401)
        }
    }

    @Test(
        "a token with wrong claims is 401 invalid_token",
        arguments: [
            ["iss": "http://localhost:8420/local/b2c_1_sign_in/v1.0"],
            ["iss": "http://evil.example/local/b2c_1_sign_in/v2.0"],
            ["iss": "http://localhost:8420/local/../v2.0"],
            ["aud": "other"], ["aud": nil], ["oid": nil], ["exp": 1], ["nbf": 9_000_000_000], ["tfp": "b2c_1_other"],
            ["sub": nil], ["exp": nil],
        ] as [[String: JSONValue]]
    )
    func wrongClaims(_ changes: [String: JSONValue]) async throws {
        try await TestAPI.run { (api: TestAPI) async throws in
            let token = try api.issuer.token(oid: "alice", now: api.clock.now.seconds, changes: changes)
            let answer = try await api.send(.get, "/tables/todoitem", token: token)
            #expect(answer.status == 401)
            let challenge = try #require(WWWAuthenticate(answer["WWW-Authenticate"] ?? ""))
            #expect(challenge.error == .invalidToken)
        }
    }

    @Test("a token with another key, of another type, or with any changed character is 401")
    func forged() async throws {
        try await TestAPI.run { (api: TestAPI) async throws in
            let now = api.clock.now.seconds
            let other = try SigningKey.generate(.es256)
            let forged = try api.issuer.token(oid: "alice", now: now, key: other)
            #expect(try await api.send(.get, "/tables/todoitem", token: forged).status == 401)
            let idToken = try api.issuer.token(oid: "alice", now: now, type: .jwt)
            #expect(try await api.send(.get, "/tables/todoitem", token: idToken).status == 401)
            let good = try api.token()
            #expect(try await api.send(.get, "/tables/todoitem", token: good).status == 200)
            let parts = good.split(separator: ".").map(String.init)
            let first = parts[2].hasPrefix("A") ? "B" : "A"
            let changed = "\(parts[0]).\(parts[1]).\(first)\(parts[2].dropFirst())"
            #expect(try await api.send(.get, "/tables/todoitem", token: changed).status == 401)
        }
    }

    @Test("a token of an untrusted policy is 401") func policies() async throws {
        try await TestAPI.run(trust: Self.signUpOnly) { (api: TestAPI) async throws in
            #expect(try await api.send(.get, "/tables/todoitem").status == 401)
        }
    }

    @Test("a token without the scope is 403 with its name, unless scopes are ignored") func scopes() async throws {
        try await TestAPI.run { (api: TestAPI) async throws in
            let reader = try api.token("alice", scopes: "tasks.read")
            #expect(try await api.send(.get, "/tables/todoitem", token: reader).status == 200)
            for path in ["/tables/todoitem", "/api/tasks"] {
                let answer = try await api.send(.post, path, ["text": "x"], token: reader)
                #expect(answer.status == 403)
                let challenge = try #require(WWWAuthenticate(answer["WWW-Authenticate"] ?? ""))
                #expect(challenge.error == .insufficientScope && challenge.scopes.scopeText == "tasks.write")
            }
        }
        try await TestAPI.run(trust: Self.withoutScopes) { (api: TestAPI) async throws in
            let bare = try api.token("alice", scopes: "other")
            #expect(try await api.send(.get, "/tables/todoitem", token: bare).status == 200)
        }
    }

    @Test("a verified token is cached until it expires by either clock") func remembered() async throws {
        try await TestAPI.run { (api: TestAPI) async throws in
            let token = try api.token()
            #expect(try await api.send(.get, "/tables/todoitem", token: token).status == 200)
            api.issuer.behave(.down)
            try api.issuer.rotate()
            #expect(try await api.send(.get, "/tables/todoitem", token: token).status == 200)
            api.clock.advance(by: .seconds(3599))
            api.clock.setWall(by: .seconds(-3000))
            #expect(try await api.send(.get, "/tables/todoitem", token: token).status == 200)
            api.clock.setWall(by: .seconds(7200))
            let answer = try await api.send(.get, "/tables/todoitem", token: token)
            #expect(answer.status != 200)
        }
    }

    @Test("a cached token is removed when the issuer has removed its key") func withdrawn() async throws {
        try await TestAPI.run { (api: TestAPI) async throws in
            let (alice, bob) = (try api.token("alice"), try api.token("bob"))
            for token in [alice, bob, alice] {
                #expect(try await api.send(.get, "/tables/todoitem", token: token).status == 200)
            }
            #expect(api.issuer.requests.count == 1)
            try api.issuer.rotate()
            #expect(try await api.send(.get, "/tables/todoitem", token: alice).status == 200)
            // A token with an unknown signing key causes a reload of the keys. The reloaded keys no longer include the
            // old key.
            let new = try api.token("alice")
            #expect(try await api.send(.get, "/tables/todoitem", token: new).status == 200)
            #expect(api.issuer.requests.count == 2)
            for token in [alice, bob, alice] {
                let answer = try await api.send(.get, "/tables/todoitem", token: token)
                #expect(answer.status == 401 && answer["WWW-Authenticate"]?.contains("invalid_token") == true)
            }
            #expect(try await api.send(.get, "/tables/todoitem", token: new).status == 200)
        }
    }

    @Test("keys are reloaded within five minutes even for cached tokens, and an unreachable issuer changes nothing")
    func freshness() async throws {
        try await TestAPI.run { (api: TestAPI) async throws in
            let day = JSONValue.int(api.clock.now.seconds + 86_400)
            let token = try api.issuer.token(oid: "alice", now: api.clock.now.seconds, changes: ["exp": day])
            func status() async throws -> Int { try await api.send(.get, "/tables/todoitem", token: token).status }
            #expect(try await status() == 200)
            api.issuer.behave(.down)
            api.clock.advance(by: FetchedDocument.standardFreshness)
            #expect(try await status() == 200)
            let asked = api.issuer.requests.count
            #expect(try await status() == 200)
            #expect(asked == 2 && api.issuer.requests.count == asked)
            api.issuer.behave(.honest)
            try api.issuer.rotate()
            api.clock.advance(by: AuthorityKeys.failureInterval)
            #expect(try await status() == 401)
        }
    }

    @Test("the response to an expired token says that it is expired") func expired() async throws {
        try await TestAPI.run { (api: TestAPI) async throws in
            let token = try api.token()
            api.clock.advance(by: .seconds(3610))
            let answer = try await api.send(.get, "/tables/todoitem", token: token)
            #expect(answer.status == 401 && answer.json?["error"] == "The token has expired.")
        }
    }

    @Test("an unreachable authority is 503 with a time to wait, and a warning with the correlation id")
    func down() async throws {
        let log = LogLines()
        try await TestAPI.run(logger: log.logger) { (api: TestAPI) async throws in
            api.issuer.behave(.down)
            let id = "2f1bd0ae-7a3c-4a7e-9d0c-5b8d6f4e1a22"
            let answer = try await api.send(.get, "/tables/todoitem", nil, ["client-request-id": id])
            let warnings = log.all.filter { $0.hasPrefix("warning: an authority's keys are not available") }
            #expect(warnings.count == 1 && warnings.allSatisfy { $0.contains("correlationId=\(id)") }, "\(log.all)")
            #expect(answer.status == 503 && answer["Retry-After"] == "2")
            #expect(
                answer.json?["code"] == 503
                    && answer.json?["error"] == "The authority that issued the token is unavailable. Try again later."
            )
        }
    }

    @Test("a protected path is 401 in plain text without a token, and its scope gives access to everything below it")
    func protected() async throws {
        let paths: [String: ResourceDemand] = ["/api/balance": "accessRestricted", "/api/tasks": "special"]
        try await TestAPI.run(protectedPaths: paths) { (api: TestAPI) async throws in
            for path in ["/api/tasks", "/api/tasks/x", "/API/t%61sks"] {
                let answer = try await api.send(.get, path, token: nil)
                #expect(answer.status == 401 && answer.text == "Unauthorized" && answer["WWW-Authenticate"] == "Bearer")
                let poor = try await api.send(.get, path)
                #expect(poor.status == 403)
                #expect(WWWAuthenticate(poor["WWW-Authenticate"] ?? "")?.scopes.scopeText == "special")
            }
            let special = try api.token(scopes: "special tasks.read")
            #expect(try await api.send(.get, "/api/tasks", token: special).status == 200)
            #expect(try await api.send(.get, "/api/tasksx", token: nil).status == 404)
        }
    }

    @Test("an invalid token is 401 on every route") func everywhere() async throws {
        try await TestAPI.run { (api: TestAPI) async throws in
            for path in ["/nowhere", "/openapi.json", "/.auth/refresh", "/push/x", "/tables/nowhere", "/api/tasks"] {
                #expect(try await api.send(.get, path, token: "garbage").status == 401, "\(path)")
                let zumo = ["X-ZUMO-AUTH": "garbage"]
                #expect(try await api.send(.get, path, token: nil, zumo).status == 401, "\(path)")
            }
        }
    }

    private static func signUpOnly(_ trust: inout Trust) { trust.policies = ["b2c_1_sign_up"] }

    private static func withoutScopes(_ trust: inout Trust) { trust.requiresScopes = false }
}
