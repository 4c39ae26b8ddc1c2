import Foundation
import OAuth
import TestSupport
import Testing

/// End-to-end tests of what a user does from sign-up to sign-out, over real sockets.
@Suite(.timeLimit(.minutes(5)))
struct MainJobTests {
    @Test("a user signs up, gets a token, gets it from the cache after a restart, and signs out")
    func socket() throws {
        let machine = try Machine()
        var daemon = try machine.startBroker()
        let person = Person.random()
        let first = try machine.connect()
        try person.signUp(first, on: machine)

        let fresh = try person.token(first)
        #expect(fresh["fromCache"]?.bool == false)
        #expect(fresh["username"]?.string == person.email)
        let cached = try person.token(try machine.connect())
        #expect(cached["fromCache"]?.bool == true)
        #expect(cached["accessToken"] == fresh["accessToken"])

        daemon.signal(SIGTERM)
        #expect(daemon.wait() == 0)
        daemon = try machine.startBroker()
        let second = try machine.connect()
        #expect(try person.token(second)["accessToken"] == fresh["accessToken"])
        let renewed = try person.token(second, ["forceRefresh": true])
        #expect(renewed["fromCache"]?.bool == false)
        #expect(renewed["accessToken"] != fresh["accessToken"])

        let account = try #require(renewed["account"])
        let removed = try #require(try second.call("session.signOut", ["account": account])["removed"])
        #expect((removed["tokens"]?.int ?? 0) > 0)
        #expect(removed["sessions"]?.int == 1)
        let refused = try second.refusal("token.acquire", ["scopes": ["tasks.read"], "prompt": "none"])
        #expect(refused.code == 1001)
        #expect(refused.reason == "interaction_required")
        let events = try second.call("audit.query", [:])["events"]?.array ?? []
        #expect(events.contains { $0["event"]?.string == "family.revoked" })
        daemon.signal(SIGTERM)
        #expect(daemon.wait() == 0)
    }
}
