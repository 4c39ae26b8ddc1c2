import Foundation
import NIOHTTP1
import OAuth
import TestSupport
import Testing

/// Tests policies that change while flows are open, with the built daemon.
@Suite(.timeLimit(.minutes(5)))
struct PolicyReloadTests {
    @Test("a reload that changes a policy ends its open flows at the socket and on pages, and no others")
    func changed() async throws {
        let machine = try Machine()
        let notify = NotifySocket(machine.folder.path("run/n"))
        let daemon = try machine.startBroker(notify: notify)
        let connection = try machine.connect()
        let person = Person.random()
        try person.signUp(connection, on: machine)
        let flows = try ["b2c_1_sign_in", "b2c_1_sign_up_or_in"].map { policy in
            let start: JSONValue = ["policy": .string(policy), "requestId": .string(policy)]
            return try #require(try connection.call("flow.start", start)["flow"])
        }
        let unseen: JSONValue = ["policy": "b2c_1_sign_in", "requestId": "unseen"]
        let untouched = try #require(try connection.call("flow.start", unseen)["flow"])
        var browser = WebBrowser()
        let page = try await browser.open(machine.authorizeAddress("b2c_1_sign_in"))
        #expect(page.status == 200 && page.text.contains("name=\"password\""))
        try machine.replace("displayName: Sign in", with: "displayName: Come in", in: "b2c_1_sign_in.yaml")
        daemon.signal(SIGHUP)
        #expect(notify.receives("READY=1"))
        func state(_ flow: JSONValue) throws -> JSONValue {
            try #require(try connection.call("flow.get", ["flow": flow["id"] ?? .null])["flow"])
        }
        let ended = try state(flows[0])
        #expect(ended["state"]?.string == "failed" && ended["reason"]?.string == "policy_changed", "\(ended)")
        let right: JSONValue = ["username": .string(person.email), "password": .string(person.password)]
        let refused = try connection.refusal("flow.submit", Connection.submission(flows[0], right))
        #expect(refused.code == 1003 && refused.data["state"]?.string == "failed", "\(refused)")
        let late = try await browser.submit(page, ["username": person.email, "password": person.password])
        #expect(late.status == 410 && late.headers.first(name: "Location") == nil, "\(late.status) \(late.text)")
        #expect(late.text.contains("error=access_denied"), "\(late.text)")
        // The refused answers do not count as attempts, other flows continue, and the changed policy starts new flows.
        #expect(try state(flows[1])["state"]?.string == "challenge")
        #expect(try connection.submit(flows[1], right)["verdict"]?.string == "accepted")
        #expect(try person.signIn(connection) == "accepted")
        // An ended flow stays ended after the policy is restored.
        try machine.replace("displayName: Come in", with: "displayName: Sign in", in: "b2c_1_sign_in.yaml")
        daemon.signal(SIGHUP)
        #expect(notify.receives("READY=1"))
        #expect(try state(flows[0]) == ended)
        #expect(try state(untouched)["reason"]?.string == "policy_changed", "the reload itself has ended it")
        #expect(try connection.refusal("flow.submit", Connection.submission(flows[0], right)).code == 1003)
        let again = try await browser.submit(page, ["username": person.email, "password": person.password])
        #expect(again.status == 410, "\(again.status)")
        daemon.signal(SIGTERM)
        #expect(daemon.wait() == 0)
    }

    @Test("a start with a changed policy ends its flows; the same requests and eight other flows begin")
    func restarted() async throws {
        let machine = try Machine()
        var daemon = try machine.startBroker()
        var connection = try machine.connect()
        let acquire: JSONValue = ["scopes": ["tasks.read"], "policy": "b2c_1_sign_in"]
        let waits = try #require(try connection.call("token.acquire", acquire)["flow"])
        func start() -> JSONValue {
            ["policy": "b2c_1_sign_in", "requestId": .string(UUID().uuidString)]
        }
        for _ in 0..<7 { _ = try connection.call("flow.start", start()) }
        #expect(try connection.refusal("flow.start", start()).code == 1013)
        daemon.signal(SIGTERM)
        #expect(daemon.wait() == 0)
        try machine.replace("displayName: Sign in", with: "displayName: Come in", in: "b2c_1_sign_in.yaml")
        daemon = try machine.startBroker()
        connection = try machine.connect()
        #expect(try connection.call("flow.list")["flows"]?.array?.isEmpty == true)
        let other = try connection.call("token.acquire", acquire)
        #expect(other["joined"]?.bool == false && other["flow"]?["id"] != waits["id"], "\(other)")
        for _ in 0..<7 { _ = try connection.call("flow.start", start()) }
        let cancelled = try connection.call("flow.cancel", ["flow": waits["id"] ?? .null])["flow"]
        #expect(cancelled?["reason"]?.string == "policy_changed", "\(String(describing: cancelled))")
        daemon.signal(SIGTERM)
        #expect(daemon.wait() == 0)
    }
}
