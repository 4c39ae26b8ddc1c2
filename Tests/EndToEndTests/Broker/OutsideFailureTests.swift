import Foundation
import LocalIssuer
import OAuth
import TestSupport
import Testing

/// End-to-end tests of external authorities that fail in the middle of an operation.
@Suite(.timeLimit(.minutes(5)))
struct OutsideFailureTests {
    private func accounts(_ connection: Connection) throws -> [String?] {
        try connection.call("account.list")["accounts"]?.array?.map { $0["username"]?.string } ?? []
    }

    @Test(
        "a server error at the authority is not taken for a refusal by the user, and a new sign-in succeeds",
        arguments: [
            (.cancels, "denied"), (.fails, "provider_failed"), (.oddError, "provider_failed"),
        ] as [(LocalProvider.Lie, String)]
    )
    func errors(_ lie: LocalProvider.Lie, reason: String) async throws {
        try await OutsideScene.run { scene in
            scene.provider.tell(lie)
            let failed = try await scene.signIn()
            #expect(failed["state"]?.string == "failed" && failed["reason"]?.string == reason, "\(failed)")
            #expect(scene.provider.redemptions == 0)
            scene.provider.tell(nil)
            #expect(try await scene.signIn()["state"]?.string == "succeeded")
            let log = try scene.daemon.log()
            #expect(log.contains("responded with server_error") == (lie == .fails))
            #expect(!log.contains("planted"))
        }
    }

    @Test("tokens of a sign-in that cannot be stored are returned uncached, and stored as soon as possible")
    func uncached() async throws {
        try await OutsideScene.run(canBeReadOnly: true) { scene in
            let disk = try #require(scene.disk)
            try disk.setReadOnly(true)
            let flow = try await scene.signIn()
            #expect(flow["state"]?.string == "succeeded", "\(flow)")
            for _ in 0..<2 {
                let token = try scene.token()
                #expect(token["accessToken"]?.string == "access-1" && token["account"] == flow["account"], "\(token)")
                #expect(token["cached"]?.bool == false && token["fromCache"]?.bool == false, "\(token)")
            }
            #expect(scene.provider.revoked.isEmpty && scene.provider.renewals == 0)
            #expect(try accounts(scene.connection) == ["person-1"])
            let events = try scene.connection.call("audit.query")["events"]?.array?.map { $0["event"]?.string } ?? []
            #expect(events.filter { $0 == "token.not_cached" }.count == 1, "\(events)")
            // While the disk is read-only, a sign-out fails, too. The uncached token is still available afterwards.
            let all: JSONValue = ["all": true]
            #expect(try scene.connection.refusal("session.signOut", all).code == 1024)
            #expect(try scene.token()["cached"]?.bool == false)

            try disk.setReadOnly(false)
            #expect(try scene.token()["cached"]?.bool == true)
            let kept = try scene.token()
            #expect(kept["fromCache"]?.bool == true && kept["accessToken"]?.string == "access-1", "\(kept)")
            // A renewal needs the refresh token, so that token was stored together with the account.
            #expect(try scene.token(["forceRefresh": true])["accessToken"]?.string == "access-renewed-1")

            try disk.setReadOnly(true)
            _ = try await scene.signIn(["prompt": "login", "scopes": ["files.read", "files.write"]])
            let wider = try scene.token(["scopes": ["files.write"]])
            #expect(wider["cached"]?.bool == false, "\(wider)")
            try disk.setReadOnly(false)
            let gone = try scene.connection.call("session.signOut", ["account": wider["account"] ?? .null])
            #expect(gone["left"] == [], "\(gone)")
            // The sign-out revokes the token that was held in memory and the token that was cached.
            #expect(Set(scene.provider.revoked).count == 2, "\(scene.provider.revoked.count)")
            #expect(try accounts(scene.connection) == [])
            #expect(try scene.connection.refusal("token.acquire", OutsideScene.silent()).code == 1001)
        }
    }

    @Test("a renewal that returns another user's tokens is refused, they are revoked, and the account remains")
    func anotherPerson() async throws {
        try await OutsideScene.run { scene in
            try await scene.signIn()
            scene.provider.renewIDTokens(with: ["sub": "person-2", "preferred_username": "mallory"])
            let wider = OutsideScene.silent(["scopes": ["files.write"]])
            #expect(try scene.connection.refusal("token.acquire", wider).code == 1015)
            #expect(scene.provider.renewals == 1 && scene.provider.revoked.count == 1)
            let token = try scene.token()
            #expect(token["accessToken"]?.string == "access-1" && token["username"]?.string == "person-1", "\(token)")
            #expect(try accounts(scene.connection) == ["person-1"])
            #expect(try scene.connection.call("token.list")["tokens"]?.array?.count == 1)
        }
    }

    @Test("a sign-out during a renewal wins: the account is not restored, and the issued tokens are revoked")
    func signedOut() async throws {
        try await OutsideScene.run { scene in
            try await scene.signIn()
            let account = try #require(try scene.token()["account"])
            scene.provider.hold(true)
            let waiting = try scene.callers(3, ["scopes": ["files.write"]])
            try await waitUntil("the renewal has begun") { scene.provider.waitingRenewals == 1 }
            let gone = try scene.connection.call("session.signOut", ["account": account])
            #expect(gone["left"] == [] && scene.provider.revoked.count == 1, "\(gone)")
            scene.provider.hold(false)
            for caller in waiting {
                let reply = try StrictJSON.parse(Array(try caller.receive().utf8))
                #expect(reply["error"]?["code"]?.int == 1001, "\(reply)")
            }
            #expect(scene.provider.renewals == 1)
            #expect(Set(scene.provider.revoked).count == 2)
            #expect(try accounts(scene.connection) == [])
            #expect(try scene.connection.call("token.list")["tokens"] == [])
            #expect(try scene.connection.refusal("token.acquire", OutsideScene.silent()).code == 1001)
        }
    }

    @Test("a lock during a renewal does not sign out: the caller gets the lock error, and the account remains")
    func locked() async throws {
        try await OutsideScene.run { scene in
            try await scene.signIn()
            scene.provider.hold(true)
            let waiting = try scene.callers(1, ["forceRefresh": true])
            try await waitUntil("the renewal has begun") { scene.provider.waitingRenewals == 1 }
            _ = try scene.connection.call("broker.lock", ["passphrase": "Planted-grey-heron"])
            scene.provider.hold(false)
            for caller in waiting {
                let reply = try StrictJSON.parse(Array(try caller.receive().utf8))
                #expect(reply["error"]?["code"]?.int == 1021, "\(reply)")
            }
            #expect(scene.provider.revoked == [])
            _ = try scene.connection.call("broker.unlock", ["passphrase": "Planted-grey-heron"])
            for number in 1...2 {
                let token = try scene.token(["forceRefresh": true])
                #expect(token["accessToken"]?.string == "access-renewed-\(number)", "\(token)")
            }
            #expect(scene.provider.renewals == 2)
            #expect(try accounts(scene.connection) == ["person-1"])
        }
    }

    @Test("a sign-out reports which tokens stay valid at an authority without a revocation endpoint")
    func nothingRevoked() async throws {
        try await OutsideScene.run { scene in
            scene.provider.revokeNothing()
            try await scene.signIn()
            let account = try #require(try scene.token()["account"])
            let gone = try scene.connection.call("session.signOut", ["account": account])
            #expect(gone["left"] == ["refresh token of person-1 at contoso"], "\(gone)")
            #expect(scene.provider.revoked.isEmpty && scene.provider.ended.count == 1)
            #expect(try accounts(scene.connection) == [])
        }
    }

    @Test("a sign-out revokes the access token of an account without a refresh token, or reports a failure")
    func noRefreshToken() async throws {
        try await OutsideScene.run { scene in
            scene.provider.giveNoRefreshTokens()
            for revokes in [true, false] {
                try await scene.signIn()
                let account = try #require(try scene.token()["account"])
                scene.provider.fail(at: "/revoke", by: revokes ? nil : .long)
                let gone = try scene.connection.call("session.signOut", ["account": account])
                let left: JSONValue = revokes ? [] : ["access token of person-1 at contoso"]
                #expect(gone["left"] == left, "\(gone)")
                if !revokes {
                    try await waitUntil("the log has a warning with the correlation id") {
                        scene.daemon.errors().split(separator: "\n").contains {
                            $0.contains("a token was not revoked") && $0.contains("correlationId")
                        }
                    }
                }
                #expect(scene.provider.revoked == ["access-1"])
                #expect(scene.provider.revocations.last?["token_type_hint"] == "access_token")
                #expect(try accounts(scene.connection) == [])
            }
        }
    }

    @Test("the metadata of an authority is fetched once, whatever calls follow") func discoveredOnce()
        async throws
    {
        try await OutsideScene.run { scene in
            try await scene.signIn()
            for _ in 0..<3 { _ = try scene.token(["forceRefresh": true]) }
            #expect(scene.provider.renewals == 3)
            #expect(scene.provider.requests(at: "/.well-known/openid-configuration") == 1)
            #expect(scene.provider.requests(at: "/keys") == 1)
        }
    }

    @Test("polling for a device's tokens continues after the authority was down, and gets the user's decision")
    func device() async throws {
        try await OutsideScene.run { scene in
            scene.provider.answerDevices([.pending])
            let asked: JSONValue = ["policy": "contoso", "scopes": ["files.read"], "mode": "device"]
            let flow = try #require(try scene.connection.call("token.acquire", asked)["flow"])
            scene.provider.fail(at: "/token", by: .hang)
            try await waitUntil("the authority is called", within: .seconds(60)) { scene.provider.faulted == 1 }
            // The removal of the fault completes the hanging request with a 503 response, as if the authority had just
            // gone down.
            scene.provider.fail(at: "/token", by: nil)
            scene.provider.answerDevices([.tokens])
            var now = flow
            try await waitUntil("the flow has ended", within: .seconds(60)) {
                now = try scene.connection.call("flow.get", ["flow": flow["id"] ?? .null])["flow"] ?? .null
                return now["state"]?.string != "pending"
            }
            #expect(now["state"]?.string == "succeeded", "\(now)")
            #expect(try scene.token()["accessToken"]?.string == "access-1")
        }
    }
}
