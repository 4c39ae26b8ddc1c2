import Foundation
import LocalIssuer
import NIOHTTP1
import OAuth
import TestSupport
import Testing

/// End-to-end tests of renewals at an external authority that rotates refresh tokens and detects their reuse.
@Suite(.timeLimit(.minutes(5)))
struct OutsideRenewalTests {
    private static let asked: JSONValue = ["policy": "contoso", "scopes": ["files.read"], "prompt": "none"]

    private static func asked(_ more: [String: JSONValue]) -> JSONValue {
        .object((asked.object ?? [:]).merging(more) { $1 })
    }

    /// Runs `test` with an external authority and a daemon, after a user has signed in at the authority.
    ///
    /// `test` may stop the daemon.
    private func withAccount(
        on disk: (Machine) throws -> ReadOnlyDisk? = { _ in nil },
        _ test: (LocalProvider, Machine, RunningProgram, Connection) async throws -> Void
    ) async throws {
        try await OutsideScene.serve { provider, machine in
            let daemon = try machine.startBroker(disk: try disk(machine))
            let connection = try machine.connect()
            let started = try connection.call("token.acquire", ["policy": "contoso", "scopes": ["files.read"]])
            let link = try #require(started["flow"]?["browser"]?["url"]?.string)
            let done = try await WebBrowser.thereAndBack(link)
            #expect(done.status == 200, "\(done.text)")
            try await test(provider, machine, daemon, connection)
            daemon.signal(SIGTERM)
            _ = daemon.wait()
            #expect(try !daemon.log().contains("refresh-"))
        }
    }

    @Test("a rotated refresh token is stored before it is used: neither a renewal nor a kill loses it")
    func rotation() async throws {
        try await withAccount { provider, machine, daemon, connection in
            var last: JSONValue?
            for _ in 0..<5 {
                let token = try connection.call("token.acquire", Self.asked(["forceRefresh": true]))["token"]
                #expect(token?["fromCache"]?.bool == false && token?["accessToken"] != last)
                last = token?["accessToken"]
            }
            daemon.signal(SIGKILL)
            _ = daemon.wait()
            let again = try machine.startBroker()
            let after = try machine.connect()
            #expect(try after.call("token.acquire", Self.asked)["token"]?["accessToken"] == last)
            let renewed = try after.call("token.acquire", Self.asked(["forceRefresh": true]))["token"]
            #expect(renewed?["fromCache"]?.bool == false && renewed?["username"]?.string == "person-1")
            #expect(provider.renewals == 6)
            let account = try #require(renewed?["account"])
            #expect(try after.call("session.signOut", ["account": account])["left"] == [])
            #expect(provider.revoked.count == 1)
            again.signal(SIGTERM)
            #expect(again.wait() == 0)
        }
    }

    @Test("a renewed token that cannot be stored is returned uncached, held in memory, and stored later")
    func uncached() async throws {
        var made: ReadOnlyDisk?
        func disk(_ machine: Machine) throws -> ReadOnlyDisk? {
            made = try .ofCache(machine)
            return made
        }
        try await withAccount(on: disk) { provider, machine, daemon, connection in
            let disk = try #require(made)
            let fresh = Self.asked(["forceRefresh": true])
            try disk.setReadOnly(true)
            // The second request must not redeem another refresh token, because the response could not be stored
            // either.
            for _ in 0..<2 {
                let token = try connection.call("token.acquire", fresh)["token"]
                #expect(token?["accessToken"]?.string == "access-renewed-1", "\(token ?? .null)")
                #expect(token?["cached"]?.bool == false && token?["fromCache"]?.bool == false, "\(token ?? .null)")
            }
            #expect(provider.renewals == 1)
            let events = try connection.call("audit.query")["events"]?.array?.map { $0["event"]?.string } ?? []
            #expect(events.filter { $0 == "token.not_cached" }.count == 1, "\(events)")
            try disk.setReadOnly(false)
            let kept = try connection.call("token.acquire", fresh)["token"]
            #expect(kept?["accessToken"]?.string == "access-renewed-1" && kept?["cached"]?.bool == true)
            daemon.signal(SIGKILL)
            _ = daemon.wait()
            let next = try machine.startBroker()
            let again = try machine.connect()
            let served = try again.call("token.acquire", Self.asked)["token"]
            #expect(served?["accessToken"]?.string == "access-renewed-1" && served?["fromCache"]?.bool == true)
            #expect(try again.call("token.acquire", fresh)["token"]?["accessToken"]?.string == "access-renewed-2")
            next.signal(SIGTERM)
            #expect(next.wait() == 0)
        }
    }

    @Test(
        "a sign-out also ends the session at the authority, and reports a failure to reach it",
        arguments: [false, true]
    )
    func session(isDown: Bool) async throws {
        try await withAccount { provider, _, daemon, connection in
            let token = try connection.call("token.acquire", Self.asked)["token"]
            if isDown { provider.tell(.down) }
            let account = try #require(token?["account"])
            let gone = try connection.call("session.signOut", ["account": account])
            #expect(gone["left"] == (isDown ? ["session of person-1 at contoso"] : []), "\(gone)")
            if isDown {
                try await waitUntil("the log has a warning with the correlation id") {
                    daemon.errors().split(separator: "\n").contains {
                        $0.contains("a session at an external authority was not ended") && $0.contains("correlationId")
                    }
                }
            }
            let hints = try provider.ended.map { hint in
                let payload = try #require(Base64URL.decode(String(hint.split(separator: ".")[1])))
                return try StrictJSON.parse(payload)["sub"]
            }
            #expect(hints == (isDown ? [] : ["person-1"]))
            #expect(try connection.call("account.list")["accounts"] == [])
        }
    }

    @Test("the authority gets the correlation id as `client-request-id`, at a renewal and at a sign-out")
    func requestID() async throws {
        try await withAccount { provider, _, _, connection in
            let (first, second) = (UUID().uuidString.lowercased(), UUID().uuidString.lowercased())
            let more: [String: JSONValue] = ["forceRefresh": true, "correlationId": .string(first)]
            let token = try connection.call("token.acquire", Self.asked(more))["token"]
            #expect(provider.requestIDs(at: "/token").last == first)
            let account = try #require(token?["account"])
            _ = try connection.call("session.signOut", ["account": account, "correlationId": .string(second)])
            #expect(provider.requestIDs(at: "/revoke") == [second] && provider.requestIDs(at: "/logout") == [second])
        }
    }

    @Test("32 callers of a new token cause one request, and a caller with a valid token does not wait")
    func stampede() async throws {
        try await withAccount { provider, machine, _, connection in
            provider.hold(true)
            let path = machine.socket
            let lines = try (0..<32).map { _ in
                let socket = try LineSocket(path)
                let params = Self.asked(["forceRefresh": true])
                let call: JSONValue = ["jsonrpc": "2.0", "id": 1, "method": "token.acquire", "params": params]
                try socket.send(call.text)
                return socket
            }
            try await waitUntil("the renewal has begun") { provider.renewals == 1 }
            #expect(try connection.call("token.acquire", Self.asked)["token"]?["accessToken"]?.string == "access-1")
            provider.hold(false)
            var tokens: Set<String> = []
            for socket in lines {
                let reply = try StrictJSON.parse(Array(try socket.receive().utf8))
                tokens.insert(reply["result"]?["token"]?["accessToken"]?.string ?? reply.text)
            }
            #expect((1...2).contains(tokens.count), "\(tokens)")
            #expect(tokens.allSatisfy { $0.hasPrefix("access-renewed-") }, "\(tokens)")
            #expect((1...2).contains(provider.renewals))
        }
    }

    @Test("a rejected refresh token is 1001 at once, tried once, and the account remains")
    func invalidGrant() async throws {
        try await withAccount { provider, _, _, connection in
            provider.forget()
            for _ in 0..<3 {
                let refused = try connection.refusal("token.acquire", Self.asked(["forceRefresh": true]))
                #expect(refused.code == 1001)
            }
            #expect(provider.renewals == 1)
            #expect(try connection.call("account.list")["accounts"]?.array?.count == 1)
            // The access token from the sign-in is still valid.
            #expect(try connection.call("token.acquire", Self.asked)["token"]?["accessToken"]?.string == "access-1")
        }
    }

    @Test("an authority that requests a pause is not called during it, and the valid token is returned") func pause()
        async throws
    {
        try await withAccount { provider, _, _, connection in
            provider.pause(120)
            for _ in 0..<3 {
                let token = try connection.call("token.acquire", Self.asked(["forceRefresh": true]))["token"]
                #expect(token?["accessToken"]?.string == "access-1" && token?["fromCache"]?.bool == true)
            }
            #expect(provider.renewals == 1)
            let other = try connection.refusal("token.acquire", Self.asked(["scopes": ["files.write"]]))
            #expect(other.code == 1014 && (60_000...120_000).contains(other.retryAfterMs ?? 0), "\(other)")
        }
    }

    @Test("a token is renewed at half of its lifetime without a waiting caller") func ahead() async throws {
        try await withAccount { provider, _, _, connection in
            provider.live(8)
            _ = try connection.call("token.acquire", Self.asked(["forceRefresh": true]))
            provider.hold(true)
            let asked = Self.asked(["minValidityMs": 0])
            try await waitUntil("a renewal begins without a call", within: .seconds(60)) {
                let token = try connection.call("token.acquire", asked)["token"]
                #expect(token?["fromCache"]?.bool == true)
                return provider.renewals == 2
            }
            provider.hold(false)
            try await waitUntil("the new token is cached") {
                let token = try connection.call("token.acquire", asked)["token"]
                return token?["accessToken"]?.string == "access-renewed-2"
            }
        }
    }

    @Test("a used token is renewed at half of its lifetime without a call, and then returned from the cache")
    func withoutCall() async throws {
        try await withAccount { provider, _, _, connection in
            // Even a busy machine renews the token within this lifetime.
            provider.live(20)
            _ = try connection.call("token.acquire", Self.asked(["forceRefresh": true]))
            provider.live(300)
            // No caller requests a token until the renewal has happened.
            try await waitUntil("a renewal happens without a call", within: .seconds(60)) { provider.renewals == 2 }
            try await waitUntil("the new token is cached") {
                let token = try connection.call("token.acquire", Self.asked(["minValidityMs": 0]))["token"]
                #expect(token?["fromCache"]?.bool == true)
                return token?["accessToken"]?.string == "access-renewed-2"
            }
            #expect(provider.renewals == 2)
        }
    }

    @Test("a renewal whose ID token has another nonce is refused, and the next renewal uses the new refresh token")
    func nonce() async throws {
        try await withAccount { provider, _, _, connection in
            provider.renewIDTokens(with: ["nonce": "another"])
            for forced in [true, false] {
                let token = try connection.call("token.acquire", Self.asked(["forceRefresh": .bool(forced)]))["token"]
                #expect(token?["accessToken"]?.string == "access-1" && token?["fromCache"]?.bool == true)
                #expect(provider.renewals == 1)
            }
            // The old refresh token has been used, so the daemon stores the new one although it rejects the rest of the
            // response.
            let again = try connection.call("token.acquire", Self.asked(["forceRefresh": true]))["token"]
            #expect(again?["accessToken"]?.string == "access-1" && provider.renewals == 2)
            provider.renewIDTokens(with: [:])
            let next = try connection.call("token.acquire", Self.asked(["forceRefresh": true]))["token"]
            #expect(next?["accessToken"]?.string == "access-renewed-3" && next?["fromCache"]?.bool == false)
        }
    }

    @Test("an ID token of a renewal without a nonce is accepted with its claims") func idToken()
        async throws
    {
        try await withAccount { provider, _, _, connection in
            provider.renewIDTokens(with: ["preferred_username": "ann@contoso.example"])
            let token = try connection.call("token.acquire", Self.asked(["forceRefresh": true]))["token"]
            #expect(token?["accessToken"]?.string == "access-renewed-1" && token?["fromCache"]?.bool == false)
            #expect(token?["username"]?.string == "ann@contoso.example")
        }
    }

    @Test("OpenID Connect Core §12.2: a renewal is no new authentication, even if its claims say otherwise")
    func provesNothing() async throws {
        try await OutsideScene.run { scene in
            let now = Int64(Date().timeIntervalSince1970)
            scene.provider.person("person-1", ["auth_time": .int(now - 5000), "acr": "silver"])
            try await scene.signIn()
            let first = try scene.token()
            let nonce = try #require(first["claims"]?["nonce"]?.string)
            let aged: [String: JSONValue] = ["maxAge": 60]
            let golden: [String: JSONValue] = ["acrValues": ["gold"]]
            for claims in [[:], ["auth_time": .int(now), "acr": "gold"], ["nonce": .string(nonce), "acr": "gold"]]
                as [[String: JSONValue]]
            {
                scene.provider.renewIDTokens(with: claims)
                let renewed = try scene.token(["forceRefresh": true])
                #expect(renewed["fromCache"]?.bool == false)
                for name in ["nonce", "auth_time", "acr"] {
                    #expect(renewed["claims"]?[name] == first["claims"]?[name], "\(claims) \(renewed)")
                }
                #expect(renewed["authTime"]?.int == (now - 5000) * 1000 && renewed["acr"]?.string == "silver")
                for demand in [aged, golden] {
                    let refusal = try scene.connection.refusal("token.acquire", OutsideScene.silent(demand))
                    #expect(refusal.code == 1001, "\(demand) \(refusal)")
                }
            }
            // A renewal without a nonce does not change the expected nonce, which is still the nonce of the sign-in.
            scene.provider.renewIDTokens(with: [:])
            _ = try scene.token(["forceRefresh": true])
            scene.provider.renewIDTokens(with: ["nonce": "another"])
            let kept = try scene.token(["forceRefresh": true])
            #expect(kept["fromCache"]?.bool == true && kept["claims"]?["nonce"]?.string == nonce, "\(kept)")
        }
    }

    @Test("a sign-in without `auth_time` satisfies no maximum age, and no renewal changes that")
    func undated() async throws {
        try await OutsideScene.run { scene in
            try await scene.signIn()
            let now = Int64(Date().timeIntervalSince1970)
            let aged: [String: JSONValue] = ["maxAge": 600]
            #expect(try scene.token()["authTime"]?.int == 0)
            #expect(try scene.connection.refusal("token.acquire", OutsideScene.silent(aged)).code == 1001)
            scene.provider.renewIDTokens(with: ["auth_time": .int(now)])
            #expect(try scene.token(["forceRefresh": true])["authTime"]?.int == 0)
            #expect(try scene.connection.refusal("token.acquire", OutsideScene.silent(aged)).code == 1001)
            try await scene.signIn(["maxAge": 600, "prompt": "login"])
            #expect(try scene.token(aged)["fromCache"]?.bool == true)
        }
    }

    @Test(
        "an access token's own earlier expiry wins over the authority's, and an expired one is refused"
    )
    func ended() async throws {
        try await OutsideScene.run(", resource: \"https://files.example\"") { scene in
            let now = Int64(Date().timeIntervalSince1970)
            scene.provider.address(to: "https://files.example", life: 120)
            try await scene.signIn()
            let first = try scene.token()
            let end = try #require(first["expiresAt"]?.int)
            #expect(end > now * 1000 && end <= (now + 150) * 1000, "\(first)")
            scene.provider.address(to: "https://files.example", life: -1)
            let kept = try scene.token(["forceRefresh": true])
            #expect(kept["accessToken"] == first["accessToken"] && kept["fromCache"]?.bool == true, "\(kept)")
            let account = try #require(first["account"])
            _ = try scene.connection.call("session.signOut", ["account": account])
            let flow = try await scene.signIn()
            #expect(flow["state"]?.string == "failed" && flow["reason"]?.string == "provider_failed", "\(flow)")
        }
    }
}
