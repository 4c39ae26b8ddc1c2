import Foundation
import OAuth
import TestSupport
import Testing

/// Notifications of the built daemon.
@Suite(.timeLimit(.minutes(2)))
struct TokenSubscribeTests {
    /// Notifications until one whose account was signed out.
    private func rest(of connection: Connection) throws -> [JSONValue] {
        var all: [JSONValue] = []
        for _ in 0..<32 {
            let line = try connection.socket.receive()
            all.append(try StrictJSON.parse(Array(line.utf8)))
            if all.last?["params"]?["change"] == "signedOut" { return all }
        }
        return all
    }

    @Test("a program is told of a sign-in, a renewal and a sign-out, and never of a token")
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
}
