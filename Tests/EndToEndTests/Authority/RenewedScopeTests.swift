import Foundation
import OAuth
import TestSupport
import Testing

/// Tests of a token's scopes after one of the required checks expires before the others.
@Suite(.timeLimit(.minutes(5)))
struct RenewedScopeTests {
    @Test("a renewal drops the scope of an expired check, reports this, and keeps the methods and their time")
    func lost() throws {
        let machine = try Machine(hasOwnClock: true)
        let daemon = try machine.startBroker()
        let connection = try machine.connect()
        let person = Person.random()
        try person.signUp(connection, on: machine)
        let both: JSONValue = ["scopes": ["tasks.read", "accessRestricted"], "policy": "b2c_1_sign_in"]
        let flow = try #require(try connection.call("token.acquire", both)["flow"])
        let setup = try #require(try connection.submit(flow, ["password": .string(person.password)])["flow"])
        let first = try #require(try connection.submit(setup, ["pin": "2468"])["token"])
        #expect(first["scopes"]?.strings == ["accessRestricted", "tasks.read"], "\(first)")
        func silent(_ scopes: JSONValue) -> JSONValue {
            ["scopes": scopes, "policy": "b2c_1_sign_in", "prompt": "none"]
        }
        let cached = try connection.call("token.acquire", silent(["tasks.read"]))["token"]
        #expect(cached?["fromCache"] == true && cached?["scopes"] == first["scopes"], "\(cached ?? .null)")
        // A successful PIN check is valid for a minute.
        try machine.wallClock?.set(by: 2)
        let renewed = try #require(try connection.call("token.acquire", silent(["tasks.read"]))["token"])
        #expect(renewed["fromCache"] == false && renewed["scopes"]?.strings == ["tasks.read"], "\(renewed)")
        #expect(renewed["authTime"] == first["authTime"] && renewed["acr"] == first["acr"], "\(renewed) \(first)")
        let events = try connection.call("audit.query", ["limit": 100])["events"]?.array ?? []
        #expect(events.contains { $0["event"]?.string == "token.renewed" }, "\(events)")
        // A silent request for the dropped scope is refused, and never returns fewer scopes than requested.
        for scopes in [["accessRestricted"], ["tasks.read", "accessRestricted"]] as [JSONValue] {
            #expect(try connection.refusal("token.acquire", silent(scopes)).code == 1001)
        }
        let asked = try #require(try connection.call("token.acquire", both)["flow"])
        #expect(asked["step"]?["type"]?.string == "pin", "\(asked)")
        #expect(try connection.submit(asked, ["pin": "2468"])["token"]?["scopes"] == first["scopes"])
        daemon.signal(SIGTERM)
        #expect(daemon.wait() == 0)
    }
}
