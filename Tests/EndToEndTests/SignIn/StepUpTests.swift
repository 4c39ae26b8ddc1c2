import Foundation
import NIOHTTP1
import OAuth
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5)))
struct StepUpTests {
    @Test("a step-up prompts a signed-in user for a PIN, and the token has the session's policy") func token() throws {
        let machine = try Machine()
        let broker = try machine.startBroker()
        let person = Person.random()
        let connection = try machine.connect()
        let asked: JSONValue = ["policy": "b2c_1_step_up", "scopes": ["tasks.read"]]
        #expect(try connection.refusal("token.acquire", asked).code == 1001)
        #expect(try connection.refusal("flow.start", ["policy": "b2c_1_step_up", "requestId": "a"]).code == 1001)
        try person.signUp(connection, on: machine)
        let before = try person.token(connection)
        let flow = try #require(try connection.call("token.acquire", asked)["flow"])
        #expect(flow["policy"]?.string == before["policy"]?.string && flow["step"]?["type"]?.string == "password")
        let proved = try connection.submit(flow, ["password": .string(person.password)])
        let setup = try #require(proved["flow"])
        let done = try connection.submit(setup, ["pin": "2468"])
        #expect(done["token"]?["acr"]?.string == "2" && done["token"]?["policy"]?.string == before["policy"]?.string)
        // A successful PIN check is valid for a minute, so another token needs no prompt.
        #expect(try connection.call("token.acquire", asked)["token"]?["acr"]?.string == "2")
        _ = try connection.call("check.logout", ["check": "PinCodeAttempts"])
        _ = try person.token(connection)
        let again = try #require(try connection.call("token.acquire", asked)["flow"])
        #expect(again["step"]?["type"]?.string == "pin")
        #expect(try connection.submit(again, ["pin": "2468"])["token"]?["acr"]?.string == "2")
        let refused = try connection.refusal(
            "token.acquire",
            ["policy": "b2c_1_step_up", "scopes": ["tasks.read"], "acrValues": ["9"]]
        )
        #expect(refused.code == 1008)
        broker.signal(SIGTERM)
        #expect(broker.wait() == 0)
    }

    @Test("policy.list names an issuer only if its metadata can be requested") func issuers() async throws {
        let machine = try Machine()
        let broker = try machine.startBroker()
        let policies = try #require(try machine.connect().call("policy.list")["policies"]?.array)
        var named: Set<String> = []
        for policy in policies {
            guard let issuer = policy["issuer"]?.string, let name = policy["policy"]?.string else { continue }
            let metadata = try await WebAnswer.to(.GET, issuer + "/.well-known/openid-configuration", token: nil)
            #expect(metadata.status == 200 && metadata.json?["issuer"]?.string == issuer, "\(metadata.text)")
            named.insert(name)
        }
        #expect(named.isSuperset(of: ["b2c_1_sign_in", "b2c_1_sign_up"]) && !named.contains("b2c_1_step_up"))
        broker.signal(SIGTERM)
        #expect(broker.wait() == 0)
    }

    @Test("a step-up flow stores its success in the session and gives no token, and has no issuer over HTTP")
    func session() async throws {
        let machine = try Machine()
        let broker = try machine.startBroker()
        let person = Person.random()
        let connection = try machine.connect()
        try person.signUp(connection, on: machine)
        let flow = try #require(
            try connection.call("flow.start", ["policy": "b2c_1_step_up", "requestId": "a"])["flow"]
        )
        let setup = try #require(try connection.submit(flow, ["password": .string(person.password)])["flow"])
        let done = try connection.submit(setup, ["pin": "2468"])
        #expect(done["flow"]?["state"]?.string == "succeeded" && done["token"] == nil)
        #expect(try connection.call("check.status", ["check": "PinCodeAttempts"])["state"]?.string == "success")
        let reached: JSONValue = ["policy": "b2c_1_step_up", "requestId": "b", "acrValues": ["9"]]
        #expect(try connection.refusal("flow.start", reached).code == 1008)
        let path = "\(machine.base)/local/b2c_1_step_up/v2.0/.well-known/openid-configuration"
        #expect(try await WebAnswer.to(.GET, path, token: nil).status == 404)
        broker.signal(SIGTERM)
        #expect(broker.wait() == 0)
    }
}
