import Foundation
import LocalIssuer
import NIOHTTP1
import OAuth
import TestSupport
import Testing

/// Renewal of tokens of an outside authority that rotates refresh tokens and detects their reuse, at the built daemon.
@Suite(.timeLimit(.minutes(5)))
struct OutsideRenewalTests {
    private static let asked: JSONValue = ["policy": "contoso", "scopes": ["files.read"], "prompt": "none"]

    private static func asked(_ more: [String: JSONValue]) -> JSONValue {
        .object((asked.object ?? [:]).merging(more) { $1 })
    }

    /// Runs `test` with the authority and a daemon at which a person has signed in with it, which the test may end.
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

    @Test("a rotated refresh token is kept before it is used again: no renewal is lost, not by a kill either")
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

    @Test("a renewed token that the cache cannot take is given out uncached, held, and kept as soon as it can be")
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
            // Asked again, it spends no other refresh token that could not be stored either.
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

    @Test("a sign-out ends the session there, too, and says if that was not reached", arguments: [false, true])
    func session(isDown: Bool) async throws {
        try await withAccount { provider, _, _, connection in
            let token = try connection.call("token.acquire", Self.asked)["token"]
            if isDown { provider.tell(.down) }
            let account = try #require(token?["account"])
            let gone = try connection.call("session.signOut", ["account": account])
            #expect(gone["left"] == (isDown ? ["session of person-1 at contoso"] : []), "\(gone)")
            let hints = try provider.ended.map { hint in
                let payload = try #require(Base64URL.decode(String(hint.split(separator: ".")[1])))
                return try StrictJSON.parse(payload)["sub"]
            }
            #expect(hints == (isDown ? [] : ["person-1"]))
            #expect(try connection.call("account.list")["accounts"] == [])
        }
    }

    @Test("the authority is told the id of the call as `client-request-id`, at a renewal and at a sign-out")
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

    @Test("32 callers who want a new token make one call, and a caller with a good token does not wait for it")
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

    @Test("a refresh token that is taken no longer is 1001 at once, asked for once, and the account stays")
    func invalidGrant() async throws {
        try await withAccount { provider, _, _, connection in
            provider.forget()
            for _ in 0..<3 {
                let refused = try connection.refusal("token.acquire", Self.asked(["forceRefresh": true]))
                #expect(refused.code == 1001)
            }
            #expect(provider.renewals == 1)
            #expect(try connection.call("account.list")["accounts"]?.array?.count == 1)
            // The token before is good as long as it lives.
            #expect(try connection.call("token.acquire", Self.asked)["token"]?["accessToken"]?.string == "access-1")
        }
    }

    @Test("an authority that asks for a pause gets it, and the good token is served meanwhile") func pause()
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

    @Test("a token is renewed at the half of its life without anybody waiting") func ahead() async throws {
        try await withAccount { provider, _, _, connection in
            provider.live(8)
            _ = try connection.call("token.acquire", Self.asked(["forceRefresh": true]))
            provider.hold(true)
            let asked = Self.asked(["minValidityMs": 0])
            try await waitUntil("a renewal begins by itself", within: .seconds(60)) {
                let token = try connection.call("token.acquire", asked)["token"]
                #expect(token?["fromCache"]?.bool == true)
                return provider.renewals == 2
            }
            provider.hold(false)
            try await waitUntil("the new token is there") {
                let token = try connection.call("token.acquire", asked)["token"]
                return token?["accessToken"]?.string == "access-renewed-2"
            }
        }
    }

    @Test("a token that was used is renewed at the half of its life without a call, and served from the cache then")
    func withoutCall() async throws {
        try await withAccount { provider, _, _, connection in
            // On a busy machine, too, somebody looks between the half and the end.
            provider.live(20)
            _ = try connection.call("token.acquire", Self.asked(["forceRefresh": true]))
            provider.live(300)
            // Nobody calls from here on until it has come.
            try await waitUntil("a renewal comes by itself", within: .seconds(60)) { provider.renewals == 2 }
            try await waitUntil("the new token is there") {
                let token = try connection.call("token.acquire", Self.asked(["minValidityMs": 0]))["token"]
                #expect(token?["fromCache"]?.bool == true)
                return token?["accessToken"]?.string == "access-renewed-2"
            }
            #expect(provider.renewals == 2)
        }
    }

    @Test("an ID token of a renewal with another nonce than before is refused; the next renewal goes on from what came")
    func nonce() async throws {
        try await withAccount { provider, _, _, connection in
            provider.renewIDTokens(with: ["nonce": "another"])
            for forced in [true, false] {
                let token = try connection.call("token.acquire", Self.asked(["forceRefresh": .bool(forced)]))["token"]
                #expect(token?["accessToken"]?.string == "access-1" && token?["fromCache"]?.bool == true)
                #expect(provider.renewals == 1)
            }
            // The refresh token before is spent: what came in its place is stored, though nothing beside it is believed.
            let again = try connection.call("token.acquire", Self.asked(["forceRefresh": true]))["token"]
            #expect(again?["accessToken"]?.string == "access-1" && provider.renewals == 2)
            provider.renewIDTokens(with: [:])
            let next = try connection.call("token.acquire", Self.asked(["forceRefresh": true]))["token"]
            #expect(next?["accessToken"]?.string == "access-renewed-3" && next?["fromCache"]?.bool == false)
        }
    }

    @Test("an ID token of a renewal without a nonce is taken, with what it says of the person") func idToken()
        async throws
    {
        try await withAccount { provider, _, _, connection in
            provider.renewIDTokens(with: ["preferred_username": "ann@contoso.example"])
            let token = try connection.call("token.acquire", Self.asked(["forceRefresh": true]))["token"]
            #expect(token?["accessToken"]?.string == "access-renewed-1" && token?["fromCache"]?.bool == false)
            #expect(token?["username"]?.string == "ann@contoso.example")
        }
    }

    @Test("OpenID Connect Core §12.2: a renewal proves nothing anew, however often it says so")
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
            // The renewals before said no nonce, and that of the sign-in is still the one.
            scene.provider.renewIDTokens(with: [:])
            _ = try scene.token(["forceRefresh": true])
            scene.provider.renewIDTokens(with: ["nonce": "another"])
            let kept = try scene.token(["forceRefresh": true])
            #expect(kept["fromCache"]?.bool == true && kept["claims"]?["nonce"]?.string == nonce, "\(kept)")
        }
    }

    @Test("a sign-in that its authority does not date is none of some age, and no renewal makes it one")
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
        "an access token that says an earlier end than its authority lives until then, and one that has ended is none"
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
