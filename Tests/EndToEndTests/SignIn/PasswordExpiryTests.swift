import Foundation
import OAuth
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5)))
struct PasswordExpiryTests {
    @Test("an operator expires a password: tokens are revoked, and the next sign-in requires a new password")
    func expired() throws {
        let machine = try Machine()
        let broker = try machine.startBroker()
        let person = Person.random()
        let connection = try machine.connect()
        try person.signUp(connection, on: machine)
        _ = try person.token(connection)
        let command = try machine.tokenbroker(["user", "expire-password", person.email])
        #expect(command.status == 0, "\(command.errors)")
        let silent: JSONValue = ["scopes": ["tasks.read"], "prompt": "none"]
        #expect(try connection.refusal("token.acquire", silent).code == 1001)
        #expect(try person.signIn(connection) == "next")
        let started = try connection.call("flow.start", ["policy": "b2c_1_sign_in", "requestId": "again"])
        let answers: JSONValue = ["username": .string(person.email), "password": .string(person.password)]
        let flow = try #require(started["flow"])
        let asked = try #require(try connection.submit(flow, answers)["flow"])
        #expect(asked["step"]?["type"]?.string == "new_password")
        let same: JSONValue = ["newPassword": .string(person.password)]
        #expect(try connection.refusal("flow.submit", Connection.submission(asked, same)).code == 1006)
        let done = try connection.submit(asked, ["newPassword": "Another-horse-8"])
        #expect(done["flow"]?["state"]?.string == "succeeded", "\(done)")
        var renewed = person
        renewed.password = "Another-horse-8"
        #expect(try renewed.signIn(connection) == "accepted")
        let audit = try machine.tokenbroker(["audit", "--all", "--json"])
        #expect(audit.output.contains("user.password_expired"))
        let missing = try machine.tokenbroker(["user", "expire-password", "nobody@example.org"])
        #expect(missing.status != 0)
        broker.signal(SIGTERM)
        #expect(broker.wait() == 0)
    }
}
