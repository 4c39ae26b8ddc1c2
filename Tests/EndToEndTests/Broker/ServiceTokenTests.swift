import Foundation
import LocalIssuer
import OAuth
import TestSupport
import Testing

/// End-to-end tests of tokens that a service gets from an external authority with the client credentials grant.
@Suite(.timeLimit(.minutes(5)))
struct ServiceTokenTests {
    private static let entry = ", grant: client_credentials, uids: [\(geteuid())], scopes: [files.read]"

    private func run(_ more: String = "", _ test: (OutsideScene) async throws -> Void) async throws {
        try await OutsideScene.run(Self.entry + more, test)
    }

    @Test("a service gets its token without a prompt, once for all requests, and it belongs to no account")
    func token() async throws {
        try await run { scene in
            let first = try scene.token()
            #expect(first["accessToken"]?.string == "access-service-1" && first["fromCache"]?.bool == false)
            #expect(first["username"]?.string == "ours" && first["policy"]?.string == "contoso", "\(first)")
            let second = try scene.token(["prompt": "auto", "scopes": []])
            #expect(second["accessToken"] == first["accessToken"] && second["fromCache"]?.bool == true)
            let form = try #require(scene.provider.serviceForms.last)
            #expect(form["grant_type"] == "client_credentials" && form["scope"] == "files.read")
            #expect(scene.provider.serviceForms.count == 1)

            #expect(try scene.connection.call("account.list")["accounts"] == [])
            let account = try #require(first["account"])
            for method in ["account.get", "account.use"] {
                #expect(try scene.connection.refusal(method, ["account": account]).code == 1023)
            }
            let listed = try scene.connection.call("token.list")["tokens"]?.array ?? []
            #expect(listed.map { $0["policy"]?.string } == ["contoso"], "\(listed)")
            // A request without a policy and without an account is for a user's token, but no user has signed in.
            let nobody = try scene.connection.refusal("token.acquire", ["scopes": [], "prompt": "none"])
            #expect(nobody.code == 1001, "\(nobody)")
        }
    }

    @Test("each scope has a separate token, and a sign-out removes them all") func scopes() async throws {
        try await run { scene in
            let read = try scene.token()
            let write = try scene.token(["scopes": ["files.write"]])
            #expect(write["accessToken"]?.string == "access-service-2")
            #expect(try scene.token()["accessToken"] == read["accessToken"])
            let out = try scene.connection.call("session.signOut", ["account": try #require(read["account"])])
            #expect(out["removed"]?["tokens"]?.int == 2 && out["left"] == [], "\(out)")
            #expect(try scene.token()["accessToken"]?.string == "access-service-3")
            #expect(try scene.machine.tokenbroker(["sign-out", "--all"]).status == 0)
            #expect(try scene.connection.call("token.list")["tokens"] == [])
        }
    }

    @Test("`sign-out --account` accepts a service's id or client id, and revokes its tokens")
    func revoked() async throws {
        try await run { scene in
            let account = try #require(try scene.token()["account"]?.string)
            _ = try scene.token(["scopes": ["files.write"]])
            let listed = try scene.machine.tokenbroker(["tokens", "--account", account])
            #expect(listed.status == 0 && listed.output.contains("files.write"), "\(listed)")
            let out = try scene.machine.tokenbroker(["sign-out", "--account", account])
            #expect(out.status == 0, "\(out)")
            #expect(Set(scene.provider.revoked) == ["access-service-1", "access-service-2"])
            #expect(scene.provider.revocations.allSatisfy { $0["token_type_hint"] == "access_token" })
            #expect(try scene.connection.call("token.list")["tokens"] == [])

            #expect(try scene.token()["fromCache"]?.bool == false)
            #expect(try scene.machine.tokenbroker(["sign-out", "--account", "ours"]).status == 0)
            #expect(scene.provider.revoked.last == "access-service-3")
            let nobody = try scene.machine.tokenbroker(["sign-out", "--account", "ours"])
            #expect(nobody.status == 1 && nobody.errors.contains("ours"), "\(nobody)")
            #expect(scene.provider.revoked.count == 3)
        }
    }

    @Test("a token that its authority cannot revoke is named in `left` and removed locally") func unrevoked()
        async throws
    {
        try await run { scene in
            scene.provider.revokeNothing()
            let account = try #require(try scene.token()["account"])
            let out = try scene.connection.call("session.signOut", ["account": account])
            #expect(out["left"] == ["access token of ours at contoso"], "\(out)")
            #expect(try scene.connection.call("token.list")["tokens"] == [] && scene.provider.revoked.isEmpty)
        }
    }

    @Test("a token that arrives after a sign-out is returned to no caller, and revoked") func meanwhile() async throws {
        try await run { scene in
            scene.provider.hold(true)
            let waiting = try scene.callers(1)
            try await waitUntil("the authority is called") { scene.provider.waitingRenewals == 1 }
            _ = try scene.connection.call("session.signOut", ["all": true])
            scene.provider.hold(false)
            let answer = try StrictJSON.parse(Array(try waiting[0].receive().utf8))
            #expect(answer["error"]?["code"]?.int == 1001, "\(answer)")
            #expect(scene.provider.revoked == ["access-service-1"])
            #expect(try scene.connection.call("token.list")["tokens"] == [])
        }
    }

    @Test("a service is no account: status counts no account, locked or not, and only tokens are notified")
    func noAccount() async throws {
        try await run { scene in
            func counts() throws -> [Int64?] {
                let counts = try scene.connection.call("broker.status")["counts"]
                return [counts?["accounts"]?.int, counts?["tokens"]?.int]
            }
            let listening = try scene.machine.connect()
            _ = try listening.call("token.subscribe")
            for number in 1...2 {
                let token = try scene.token()
                #expect(token["accessToken"]?.string == "access-service-\(number)")
                let told = try StrictJSON.parse(Array(try listening.socket.receive().utf8))
                #expect(told["method"] == "token.rotated" && told["params"]?["account"] == token["account"], "\(told)")
                #expect(try counts() == [0, 1])
                if number == 1 { _ = try scene.connection.call("session.signOut", ["all": true]) }
            }
            _ = try scene.connection.call("broker.lock", ["passphrase": "a passphrase"])
            #expect(try counts() == [0, 1])
        }
    }

    @Test("an expired token is requested again, never with the refresh token that came with it") func expiry()
        async throws
    {
        try await run { scene in
            scene.provider.live(4)
            let first = try scene.token()
            let end = try #require(first["expiresAt"]?.int)
            try await waitUntil("the token has expired") { Int64(Date().timeIntervalSince1970 * 1000) > end }
            scene.provider.live(300)
            #expect(try scene.token()["accessToken"]?.string == "access-service-2")
            #expect(try scene.token(["forceRefresh": true])["accessToken"]?.string == "access-service-3")
            #expect(scene.provider.renewals == 0)
            #expect(scene.provider.serviceForms.allSatisfy { $0["refresh_token"] == nil })
        }
    }

    @Test("a token is requested again at half of its lifetime without a waiting caller") func ahead() async throws {
        try await run { scene in
            scene.provider.live(8)
            _ = try scene.token()
            scene.provider.hold(true)
            let asked: [String: JSONValue] = ["minValidityMs": 0]
            try await waitUntil("a renewal begins without a call", within: .seconds(60)) {
                let token = try scene.token(asked)
                #expect(token["fromCache"]?.bool == true)
                return scene.provider.serviceForms.count == 2
            }
            scene.provider.hold(false)
            try await waitUntil("the new token is cached") {
                try scene.token(asked)["accessToken"]?.string == "access-service-2"
            }
        }
    }

    @Test("32 callers without a token cause one request, in each of several rounds") func stampede() async throws {
        try await run { scene in
            for round in 1...3 {
                let asked: [String: JSONValue] = ["scopes": [.string("files.part\(round)")]]
                let tokens = try OutsideScene.answers(of: try scene.callers(32, asked))
                #expect(Set(tokens) == ["access-service-\(round)"], "\(Set(tokens))")
                #expect(scene.provider.serviceForms.count == round)
            }
        }
    }

    @Test("while the authority hangs, others get their tokens; a call times out as 1014 or returns a valid token")
    func hanging() async throws {
        try await run { scene in
            let good = try scene.token()
            scene.provider.tell(.hang)
            let waiting = try scene.callers(2, ["scopes": ["files.write"]])
            for _ in 0..<50 { #expect(try scene.token()["accessToken"] == good["accessToken"]) }
            for socket in waiting {
                let answer = try StrictJSON.parse(Array(try socket.receive().utf8))
                #expect(answer["error"]?["code"]?.int == 1014, "\(answer)")
            }
            let forced = try scene.token(["forceRefresh": true])
            #expect(forced["accessToken"] == good["accessToken"] && forced["fromCache"]?.bool == true)
        }
    }

    @Test("an authority that is down is 1014, is not called for a while, and may request a pause") func down()
        async throws
    {
        try await run { scene in
            let good = try scene.token()
            scene.provider.pause(retryAfter: "120")
            let other = OutsideScene.silent(["scopes": ["files.write"]])
            for _ in 0..<3 {
                let refused = try scene.connection.refusal("token.acquire", other)
                #expect(refused.code == 1014 && (60_000...120_000).contains(refused.retryAfterMs ?? 0), "\(refused)")
            }
            #expect(scene.provider.serviceForms.count == 2)
            #expect(try scene.token(["forceRefresh": true])["accessToken"] == good["accessToken"])
        }
    }

    @Test(
        "an authority that sends invalid data is 1015, and nothing is stored",
        arguments: [LocalProvider.Lie.html, .endless, .redirect]
    )
    func lies(_ lie: LocalProvider.Lie) async throws {
        try await run { scene in
            scene.provider.tell(lie)
            let refused = try scene.connection.refusal("token.acquire", OutsideScene.silent())
            #expect(refused.code == 1015, "\(refused)")
            let tokens = try scene.connection.call("token.list")["tokens"]
            #expect(tokens == [])
        }
    }

    @Test("scopes that the authority does not grant are 1012") func scope() async throws {
        try await run { scene in
            scene.provider.decline(["files.write"])
            let refused = try scene.connection.refusal(
                "token.acquire",
                OutsideScene.silent(["scopes": ["files.write"]])
            )
            #expect(refused.code == 1012, "\(refused)")
            scene.provider.grant("files.read")
            let fewer = OutsideScene.silent(["scopes": ["files.read", "files.share"]])
            #expect(try scene.connection.refusal("token.acquire", fewer).code == 1012)
            #expect(try scene.connection.call("token.list")["tokens"] == [])
        }
    }

    @Test("a uid that the operator has not allowed gets no token and does not see the authority") func otherUID()
        async throws
    {
        let entry = ", grant: client_credentials, uids: [54321], scopes: [files.read]"
        try await OutsideScene.run(entry + ", origins: [\"https://files.example\"]") { scene in
            for method in ["token.acquire", "flow.start"] {
                let params: JSONValue =
                    method == "flow.start"
                    ? ["policy": "contoso", "requestId": "r"] : ["policy": "contoso", "scopes": []]
                let refused = try scene.connection.refusal(method, params)
                #expect([1018, 1010].contains(refused.code), "\(method): \(refused)")
            }
            #expect(try scene.connection.refusal("token.acquire", OutsideScene.silent()).code == 1018)
            #expect(try scene.connection.call("authority.list")["authorities"] == [])
            let place = try scene.machine.tokenbroker(["token", "--for", "https://files.example"])
            #expect(place.status != 0 && place.output.isEmpty, "\(place)")
            #expect(scene.provider.serviceForms.isEmpty)
        }
    }

    @Test("a service has no sign-in, and requirements that only a user can satisfy are refused by name") func people()
        async throws
    {
        try await run { scene in
            let start: JSONValue = ["policy": "contoso", "requestId": "r"]
            #expect(try scene.connection.refusal("flow.start", start).code == 1010)
            for prompt in ["login", "create", "select"] {
                let asked = OutsideScene.silent(["prompt": .string(prompt)])
                #expect(try scene.connection.refusal("token.acquire", asked).code == 1010)
            }
            let demands: [(String, JSONValue)] = [
                ("acrValues", ["gold"]), ("maxAge", 60), ("claims", [:]), ("extraQueryParameters", ["a": "b"]),
                ("additionalScopes", ["files.write"]), ("mode", "browser"), ("loopbackPort", 49_152),
                ("user", ["id": "ann@example.org"]),
            ]
            for (name, value) in demands {
                let refused = try scene.connection.refusal("token.acquire", OutsideScene.silent([name: value]))
                #expect(refused.code == -32602 && refused.message.contains(name), "\(refused)")
            }
            let command = try scene.machine.tokenbroker(["sign-in", "--policy", "contoso", "--browser"])
            #expect(command.status == 1 && command.errors.contains("contoso does not support sign-in"), "\(command)")
            #expect(scene.provider.serviceForms.isEmpty)
        }
    }

    @Test("`tokenbroker token --policy NAME` gives a service its token without a terminal") func command() async throws
    {
        try await run(", origins: [\"https://files.example\"]") { scene in
            let printed = try scene.machine.tokenbroker(["token", "--policy", "contoso"])
            #expect(printed.status == 0 && printed.output == "access-service-1\n", "\(printed)")
            let sent = try scene.machine.tokenbroker(["token", "--for", "https://files.example", "--header"])
            #expect(sent.output == "Authorization: Bearer access-service-1\n", "\(sent)")
            let elsewhere = try scene.machine.tokenbroker(["token", "--for", "https://other.example"])
            #expect(elsewhere.status == 77 && elsewhere.output.isEmpty, "\(elsewhere)")
        }
    }

    @Test("a token that cannot be stored is returned uncached") func uncached() async throws {
        try await OutsideScene.run(Self.entry, canBeReadOnly: true) { scene in
            let disk = try #require(scene.disk)
            _ = try scene.token()
            try disk.setReadOnly(true)
            let token = try scene.token(["scopes": ["files.write"]])
            #expect(token["accessToken"]?.string == "access-service-2" && token["cached"]?.bool == false, "\(token)")
            try disk.setReadOnly(false)
            #expect(try scene.token(["scopes": ["files.write"]])["cached"]?.bool == true)
        }
    }

    /// A Python script that sends a line to the socket and prints the response.
    private static let other = """
        import socket, sys
        peer = socket.socket(socket.AF_UNIX)
        peer.connect(sys.argv[1])
        peer.sendall(sys.argv[2].encode() + b"\\n")
        print(peer.makefile().readline())
        """

    @Test("each allowed uid has a separate token") func everyUID() async throws {
        try requireRoot("becomes another user")
        let entry = ", grant: client_credentials, uids: [\(geteuid()), \(OtherUser.uid)], scopes: [files.read]"
        try await OutsideScene.run(entry, isService: true) { scene in
            try scene.machine.openToOthers()
            let own = try scene.token()
            let call: JSONValue = [
                "jsonrpc": "2.0", "id": 1, "method": "token.acquire", "params": OutsideScene.silent(),
            ]
            for _ in 0..<2 {
                let answer = try OtherUser.run(Self.other, [scene.machine.socket, call.text])
                let token = try StrictJSON.parse(Array(answer.utf8))["result"]?["token"]
                #expect(token?["accessToken"]?.string == "access-service-2", "\(answer)")
                #expect(token?["account"] != own["account"])
            }
            #expect(try scene.token()["accessToken"] == own["accessToken"])
            #expect(scene.provider.serviceForms.count == 2)
        }
    }
}
