import Foundation
import LocalIssuer
import OAuth
import TestSupport
import Testing

/// End-to-end tests of the notifications that subscribers of `token.subscribe` get.
@Suite(.timeLimit(.minutes(2)))
struct TokenSubscribeTests {
    /// Returns the next notifications, up to and including the one for a sign-out.
    private func rest(of connection: Connection) throws -> [JSONValue] {
        var all: [JSONValue] = []
        for _ in 0..<32 {
            let line = try connection.socket.receive()
            all.append(try StrictJSON.parse(Array(line.utf8)))
            if all.last?["params"]?["change"] == "signedOut" { return all }
        }
        return all
    }

    @Test("a program is notified of a sign-in, a renewal and a sign-out without the token")
    func events() throws {
        let machine = try Machine()
        let daemon = try machine.startBroker()
        let (listening, calling) = (try machine.connect(), try machine.connect())
        let answer = try listening.call("token.subscribe")
        #expect(answer["notifications"]?.strings == ["token.rotated", "token.expiring", "session.changed"])
        let person = Person.random()
        try person.signUp(calling, on: machine)
        let first = try person.token(calling)
        let account = try #require(first["account"]?.string)
        let renewed = try calling.call(
            "token.acquire",
            ["scopes": ["tasks.read"], "forceRefresh": true, "prompt": "none"]
        )
        _ = try calling.call("session.signOut", ["account": .string(account)])
        let told = try rest(of: listening)
        #expect(told.allSatisfy { $0["id"] == nil && $0["params"]?["account"]?.string == account })
        #expect(told.first?["params"]?["change"] == "signedIn")
        #expect(told.contains { $0["method"] == "token.rotated" && $0["params"]?["scopes"] != nil })
        for token in [first, try #require(renewed["token"])] {
            let secret = try #require(token["accessToken"]?.string)
            #expect(!told.contains { $0.text.contains(secret) })
        }
        #expect(try calling.refusal("token.subscribe", ["account": .string(account)]).code == 1023)
        #expect(try calling.refusal("token.subscribe", ["accounts": []]).code == -32602)
        daemon.signal(SIGTERM)
        #expect(daemon.wait() == 0, "\(daemon.errors())")
    }

    @Test("a sign-in at an external authority, an expiring token and the sign-out are notified with their account")
    func outside() async throws {
        try await OutsideScene.run { scene in
            // The daemon sends `token.expiring` halfway through the lifetime, and checks the time every few seconds.
            scene.provider.live(12)
            let listening = try scene.machine.connect()
            _ = try listening.call("token.subscribe")
            try await scene.signIn()
            let account = try #require(try scene.connection.call("account.list")["accounts"]?.array?.first?["account"])
            let told = try (0..<3).map { _ in try StrictJSON.parse(Array(try listening.socket.receive().utf8)) }
            #expect(told.map { $0["method"]?.string } == ["session.changed", "token.rotated", "token.expiring"])
            #expect(told.allSatisfy { $0["params"]?["account"] == account && $0["id"] == nil }, "\(told)")
            #expect(told[0]["params"]?["change"] == "signedIn", "\(told)")
            #expect(told[2]["params"]?["expiresAt"]?.int != nil, "\(told)")
            #expect(!told.contains { $0.text.contains("access-1") })
            _ = try scene.connection.call("session.signOut", ["account": account])
            let last = try rest(of: listening).last
            #expect(last?["method"] == "session.changed" && last?["params"]?["account"] == account, "\(last ?? .null)")
        }
    }

    @Test("a program that misses every notification gets the same results as one that receives them") func deaf()
        async throws
    {
        try await OutsideScene.run { scene in
            let (hearing, calling) = (try scene.machine.connect(), try scene.machine.connect())
            var deaf: Connection? = try scene.machine.connect()
            for connection in [hearing, deaf] { _ = try connection?.call("token.subscribe") }
            let (first, second) = (Person.random(), Person.random())
            for person in [first, second] { try person.signUp(calling, on: scene.machine) }
            let accounts = try calling.call("account.list")["accounts"]?.array ?? []
            let gone = try #require(accounts.first { $0["username"]?.string == first.email }?["account"])
            let kept = try #require(accounts.first { $0["username"]?.string == second.email }?["account"])
            _ = try first.token(calling, ["account": gone])
            _ = try second.token(calling, ["account": kept])
            try await scene.signIn()
            _ = try scene.token(["forceRefresh": true])
            let fresh: JSONValue = ["scopes": ["tasks.read"], "account": kept, "forceRefresh": true, "prompt": "none"]
            _ = try calling.call("token.acquire", fresh)
            _ = try calling.call("session.signOut", ["account": gone])
            #expect(try rest(of: hearing).count > 4)

            // The connection `hearing` has received every notification. The other client reconnects, and never receives
            // the notifications that it missed.
            deaf = nil
            let anew = try scene.machine.connect()
            let asked: [(method: String, params: JSONValue)] = [
                ("account.list", [:]), ("token.list", [:]), ("account.get", ["account": kept]),
                ("token.acquire", ["scopes": ["tasks.read"], "account": kept, "prompt": "none"]),
                ("token.acquire", OutsideScene.silent()),
            ]
            for (method, params) in asked {
                let answers = try [hearing, anew].map { connection in
                    var answer = try connection.call(method, params).object ?? [:]
                    var token = answer["token"]?.object
                    token?["correlationId"] = nil
                    answer["token"] = token.map(JSONValue.object)
                    return JSONValue.object(answer)
                }
                #expect(answers[0] == answers[1], "\(method)")
            }
            for connection in [hearing, anew] {
                #expect(try connection.refusal("account.get", ["account": gone]).code == 1023)
                #expect(try connection.call("account.list")["accounts"]?.array?.count == 2)
            }
        }
    }
}
