import Foundation
import NIOHTTP1
import OAuth
import TestSupport
import Testing

/// Policies that are changed while people are at their steps, by the built daemon.
@Suite(.timeLimit(.minutes(5)))
struct PolicyReloadTests {
    @Test("a reload that changes a policy ends its open flows at both doors, and leaves those of other policies open")
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
        // Nothing was counted, other flows go on, and new ones of the policy begin.
        #expect(try state(flows[1])["state"]?.string == "challenge")
        #expect(try connection.submit(flows[1], right)["verdict"]?.string == "accepted")
        #expect(try person.signIn(connection) == "accepted")
        daemon.signal(SIGTERM)
        #expect(daemon.wait() == 0)
    }
}
