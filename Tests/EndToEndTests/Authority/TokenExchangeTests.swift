import Foundation
import LocalIssuer
import OAuth
import TestSupport
import Testing
import Tokens

/// Tests of exchanging an account's local token for a token of an external authority (RFC 8693).
@Suite(.timeLimit(.minutes(5)))
struct TokenExchangeTests {
    private static let entry =
        ", grant: token_exchange, subjectScopes: [tasks/tasks.read], subjectIssuer: home, scopes: [files.read]"

    private func run(_ test: (OutsideScene, Person) async throws -> Void) async throws {
        try await OutsideScene.run(Self.entry) { scene in
            let person = Person.random()
            try person.signUp(scene.connection, on: scene.machine)
            try await test(scene, person)
        }
    }

    @Test("the account's token is exchanged once for all requests, and the result belongs to that account") func token()
        async throws
    {
        try await run { scene, person in
            scene.provider.live(86_400)
            let ours = try person.token(scene.connection)
            let theirs = try scene.token()
            #expect(theirs["accessToken"]?.string == "access-service-1" && theirs["fromCache"]?.bool == false)
            // The exchanged token is not used longer than the local token is valid.
            let (end, latest) = (theirs["expiresAt"]?.int ?? .max, ours["expiresAt"]?.int ?? 0)
            #expect(end <= latest, "\(end) after \(latest)")
            #expect(theirs["account"] == ours["account"] && theirs["username"] == ours["username"], "\(theirs)")
            let form = try #require(scene.provider.serviceForms.last)
            #expect(form["grant_type"] == "urn:ietf:params:oauth:grant-type:token-exchange")
            #expect(form["subject_token_type"] == "urn:ietf:params:oauth:token-type:access_token")
            #expect(form["subject_issuer"] == "home" && form["scope"] == "files.read")
            let subject = try UnverifiedJWT(try #require(form["subject_token"])).unverifiedClaims()
            #expect(subject["iss"]?.string?.hasPrefix(scene.machine.base) == true && subject["oid"] != nil)
            #expect(subject["scp"]?.string == "tasks.read" || subject["scope"]?.string?.contains("tasks.read") == true)
            let tokens = try OutsideScene.answers(of: try scene.callers(32))
            #expect(Set(tokens) == ["access-service-1"] && scene.provider.serviceForms.count == 1)
            // The exchange does not change the account.
            let accounts = try scene.connection.call("account.list")["accounts"]?.array ?? []
            #expect(accounts.count == 1 && accounts[0]["authority"]?.string == "local", "\(accounts)")
            #expect(try person.token(scene.connection)["accessToken"] == ours["accessToken"])
        }
    }

    @Test("without a local sign-in there is nothing to exchange: 1001") func nobody() async throws {
        try await OutsideScene.run(Self.entry) { scene in
            let refused = try scene.connection.refusal("token.acquire", OutsideScene.silent())
            #expect(refused.code == 1001, "\(refused)")
            #expect(scene.provider.serviceForms.isEmpty)
        }
    }

    @Test("a token from the caller is not exchanged, and is refused by name") func brought() async throws {
        try await run { scene, _ in
            let token: JSONValue = ["access_token": "somebody-elses"]
            let brought: [String: JSONValue] = ["providerToken": token]
            for more in [brought, brought.merging(["provider": "partner"]) { $1 }] {
                let asked = OutsideScene.silent(more)
                let start = JSONValue.object(more.merging(["policy": "contoso", "requestId": "r"]) { $1 })
                for (method, params) in [("token.acquire", asked), ("flow.start", start)] {
                    let refused = try scene.connection.refusal(method, params)
                    #expect(refused.code == -32602, "\(method): \(refused)")
                    #expect(refused.message.contains("`providerToken` applies only to sign-ins"), "\(refused)")
                }
            }
            #expect(scene.provider.serviceForms.isEmpty)
        }
    }

    @Test("a sign-out removes the exchanged token and revokes it at its authority") func signOut() async throws {
        try await run { scene, _ in
            let token = try scene.token()
            let out = try scene.connection.call("session.signOut", ["account": try #require(token["account"])])
            #expect(out["left"] == [], "\(out)")
            #expect(scene.provider.revoked == ["access-service-1"])
            #expect(scene.provider.revocations.last?["token_type_hint"] == "access_token")
            #expect(try scene.connection.call("token.list")["tokens"] == [])
            #expect(try scene.connection.refusal("token.acquire", OutsideScene.silent()).code == 1001)
        }
    }

    @Test("a sign-out names an exchanged token that its authority could not revoke, and removes it locally") func left()
        async throws
    {
        try await run { scene, person in
            _ = try scene.token()
            scene.provider.fail(at: "/revoke", by: .long)
            let out = try scene.connection.call("session.signOut", ["all": true])
            #expect(out["left"] == [.string("access token of \(person.email) at contoso")], "\(out)")
            #expect(scene.provider.revoked.isEmpty)
            #expect(try scene.connection.call("token.list")["tokens"] == [])
        }
    }

    @Test("an authority that issues no token is 1012, one that is down 1014, one that sends invalid data 1015")
    func refused() async throws {
        try await run { scene, _ in
            func code() throws -> Int64 {
                Int64(try scene.connection.refusal("token.acquire", OutsideScene.silent()).code)
            }
            scene.provider.decline(["files.read"])
            let declined = try code()
            scene.provider.decline([])
            for word in ["invalid_request", "invalid_grant"] {
                scene.provider.refuse(by: word)
                let taken = try scene.connection.refusal("token.acquire", OutsideScene.silent())
                #expect(taken.code == 1012, "\(taken)")
                #expect(taken.message == "contoso rejected the stored token of this account. Sign in again.")
            }
            for word in ["server_error", "temporarily_unavailable"] {
                scene.provider.refuse(by: word)
                #expect(try code() == 1014)
            }
            scene.provider.refuse(by: nil)
            scene.provider.tell(.down)
            let down = try code()
            scene.provider.tell(.html)
            let lying = try code()
            #expect([declined, down, lying] == [1012, 1014, 1015])
            scene.provider.tell(nil)
            let token = try scene.token()
            #expect(token["fromCache"]?.bool == false)
            #expect(try !scene.daemon.log().contains("eyJ"))
        }
    }
}
