import Foundation
import HTTPServer
import HTTPTypes
import LocalIssuer
import Moments
import OAuth
import TablesServer
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(1)), .indexedStatements)
struct AccountRoutesTests {
    @Test("/.auth/me returns the token's identity with its claims, without the token") func identities() async throws {
        try await TestAPI.run { (api: TestAPI) async throws in
            let now = api.clock.now.seconds
            let token = try api.issuer.token(
                oid: "alice",
                now: now,
                changes: ["idp": "google", "amr": ["pwd", "otp"]]
            )
            let answer = try await api.send(.get, "/.auth/me", token: token)
            #expect(answer.status == 200 && answer["Cache-Control"] == "no-store")
            let identity = try #require(answer.json?.array?.first)
            #expect(identity["provider_name"] == "google" && identity["user_id"] == "alice")
            #expect(identity["expires_on"]?.string?.hasSuffix("Z") == true && identity["access_token"] == nil)
            let claims = try #require(identity["user_claims"]?.array)
            #expect(claims.contains(["typ": "name", "val": "Somebody"]))
            #expect(claims.filter { $0["typ"] == "amr" }.compactMap { $0["val"]?.string } == ["pwd", "otp"])
            #expect(claims.contains(["typ": "exp", "val": .string("\(now + 3600)")]))
            #expect(!answer.text.contains(token))
            let zumo = try await api.send(.get, "/.auth/me", token: nil, ["X-ZUMO-AUTH": token])
            #expect(zumo.json == answer.json)
            let nobody = try await api.send(.get, "/.auth/me", token: nil)
            #expect(nobody.status == 401 && nobody["WWW-Authenticate"] == "Bearer" && nobody.json?["code"] == 401)
        }
    }

    @Test("/.auth/refresh is 400 with the message that clients expect") func refresh() async throws {
        try await TestAPI.run { (api: TestAPI) async throws in
            for token in [nil, try api.token()] {
                let answer = try await api.send(.get, "/.auth/refresh", token: token)
                #expect(answer.status == 400 && answer.json?["error"] == "Token renewal is not supported.")
            }
        }
    }

    @Test("/protected describes the token's user, and rejects requests without a token in plain text")
    func protected() async throws {
        try await TestAPI.run { (api: TestAPI) async throws in
            let nobody = try await api.send(.get, "/protected", token: nil)
            #expect(nobody.status == 401 && nobody.text == "Unauthorized" && nobody["WWW-Authenticate"] == "Bearer")
            let now = api.clock.now.seconds
            let changes: [String: JSONValue] = ["idp": "facebook", "city": "Bern"]
            let token = try api.issuer.token(oid: "alice", now: now, changes: changes)
            let answer = try await api.send(.get, "/protected", token: token)
            let expected: JSONValue = [
                "id": "alice", "displayName": "Somebody", "authBy": "facebook", "attributes": ["city": "Bern"],
            ]
            #expect(answer.status == 200 && answer.json == expected)
            let user: JSONValue = [
                "id": "john.lennon", "displayName": "John Lennon", "authBy": "corp", "attributes": ["a": 1],
            ]
            let realm = try api.issuer.token(oid: "alice", now: now, changes: ["imf.user": user])
            #expect(try await api.send(.get, "/protected", token: realm).json == user)
        }
    }

    @Test("/protected requires its scope if one is configured") func protectedByScope() async throws {
        try await TestAPI.run(protectedPaths: ["/protected": "corp"]) { (api: TestAPI) async throws in
            #expect(try await api.send(.get, "/protected").status == 403)
            #expect(try await api.send(.get, "/protected", token: api.token(scopes: "corp")).status == 200)
            #expect(try await api.send(.get, "/api/balance", token: api.token(scopes: "corp")).status == 401)
        }
    }

    @Test("the balance is JSON, or text for clients that prefer text") func balance() async throws {
        try await TestAPI.run { (api: TestAPI) async throws in
            let token = try api.token(scopes: "accessRestricted")
            for accept in ["", "*/*", "application/json", "application/json, text/plain, */*", "text/plain;q=0"] {
                let answer = try await api.send(.get, "/api/balance", token: token, ["Accept": accept])
                #expect(answer.json == ["balance": "19938.80"], "\(accept)")
            }
            for accept in ["text/plain", "text/plain, */*", "Text/Plain; q=0.5, application/json;q=0.4"] {
                let answer = try await api.send(.get, "/api/balance", token: token, ["Accept": accept])
                #expect(answer.text == "19938.80" && answer["Content-Type"]?.hasPrefix("text/plain") == true)
            }
        }
    }

    @Test("the balance is 401 as in RFC 9470 without additional verification, and a plain 401 without a token")
    func challenge()
        async throws
    {
        try await TestAPI.run { (api: TestAPI) async throws in
            for path in ["/api/balance", "/API/b%61lance"] {
                let answer = try await api.send(.get, path)
                #expect(answer.status == 401)
                let challenge = try #require(WWWAuthenticate(answer["WWW-Authenticate"] ?? ""))
                #expect(challenge.error == .insufficientUserAuthentication)
                #expect(challenge.scopes.scopeText == "accessRestricted")
                let nobody = try await api.send(.get, path, token: nil)
                #expect(nobody.status == 401 && nobody.text == "Unauthorized" && nobody["WWW-Authenticate"] == "Bearer")
            }
        }
    }

    @Test(
        "a path that requires a context and an age is 401 until both are satisfied, then 403 without its scope"
    )
    func demanded() async throws {
        let demand = ResourceDemand(scope: "tasks.write", acrValues: ["2", "3"], maxAge: 300)
        try await TestAPI.run(protectedPaths: ["/protected": demand]) { (api: TestAPI) async throws in
            let now = api.clock.now.seconds
            func token(_ scopes: String, _ changes: [String: JSONValue]) throws -> String {
                try api.issuer.token(oid: "alice", scopes: scopes, now: now, changes: changes)
            }
            let weak: [[String: JSONValue]] = [
                ["acr": "1", "auth_time": .int(now)], ["acr": "2", "auth_time": .int(now - 306)],
            ]
            for changes in weak {
                let answer = try await api.send(.get, "/protected", token: token("tasks.write", changes))
                #expect(answer.status == 401)
                let challenge = try #require(WWWAuthenticate(answer["WWW-Authenticate"] ?? ""))
                #expect(challenge.error == .insufficientUserAuthentication)
                #expect(challenge.acrValues == ["2", "3"] && challenge.maxAge == 300)
                #expect(challenge.scopes.scopeText == "tasks.write")
            }
            let strong: [String: JSONValue] = ["acr": "2", "auth_time": .int(now - 300)]
            let poor = try await api.send(.get, "/protected", token: token("tasks.read", strong))
            #expect(poor.status == 403)
            #expect(WWWAuthenticate(poor["WWW-Authenticate"] ?? "")?.error == .insufficientScope)
            #expect(try await api.send(.get, "/protected", token: token("tasks.write", strong)).status == 200)
        }
    }

    @Test("registrations for notifications are 501 with a message") func push() async throws {
        try await TestAPI.run { (api: TestAPI) async throws in
            for path in ["/push/installations/abc", "/push/x"] {
                for answer in [
                    try await api.send(.put, path, ["a": 1]), try await api.send(.delete, path),
                    try await api.send(.get, path, token: nil),
                ] {
                    #expect(answer.status == 501 && answer.json?["error"]?.string?.contains("push") == true)
                }
            }
        }
    }
}
