import Foundation
import OAuth
import TestSupport
import Testing

/// Tests of mailed codes at the socket, namely what the responses reveal and how often a code is sent.
@Suite(.timeLimit(.minutes(5)))
struct CodeStepTests {
    /// The members of a response that differ between flows or depend on the time.
    private static let own: Set<String> = ["id", "expiresAt", "stepExpiresAt", "availableAt"]

    /// Returns a response without the members in `own`, and with the user name replaced.
    private func plain(_ value: JSONValue, _ name: String) -> JSONValue {
        switch value {
        case .object(let members):
            .object(members.filter { !Self.own.contains($0.key) }.mapValues { plain($0, name) })
        case .array(let values): .array(values.map { plain($0, name) })
        case .string(let text): .string(text.replacing(name, with: "NAME"))
        case .null, .bool, .int, .double: value
        }
    }

    @Test(
        "at a sign-up and a password reset a known and an unknown name get the same responses at the socket",
        arguments: ["b2c_1_sign_up", "b2c_1_password_reset"]
    )
    func unknownName(_ policy: String) throws {
        let machine = try Machine()
        let daemon = try machine.startBroker()
        let (person, nobody) = (Person.random(), Person.random())
        let connection = try machine.connect()
        try person.signUp(connection, on: machine)
        var seen: [[JSONValue]] = []
        for name in [person.email, nobody.email] {
            let start: JSONValue = ["policy": .string(policy), "requestId": .string(name)]
            let flow = try #require(try connection.call("flow.start", start)["flow"])
            var answers: [String: JSONValue] = ["username": .string(name)]
            if policy == "b2c_1_sign_up" {
                answers = [
                    "email": .string(name), "displayName": "Ada", "city": "Oslo", "extension_team": "red",
                    "password": "Another-horse-8",
                ]
            }
            let asked = try connection.submit(flow, .object(answers))
            #expect(asked["flow"]?["step"]?["type"]?.string == "code", "\(asked)")
            let wrong = try connection.submit(try #require(asked["flow"]), ["code": "000000"])
            #expect(wrong["flow"]?["step"]?["attempts"]?["remaining"]?.int == 4, "\(wrong)")
            seen.append([plain(asked, name), plain(wrong, name)])
        }
        #expect(seen[0] == seen[1])
        daemon.signal(SIGTERM)
        #expect(daemon.wait() == 0)
    }

    @Test("another code is sent after 30 s at the earliest, restores no attempt, and invalidates the one before")
    func resend() throws {
        let machine = try Machine(hasOwnClock: true, movesBootClock: true)
        let daemon = try machine.startBroker()
        let connection = try machine.connect()
        let person = Person.random()
        func action(_ flow: JSONValue) -> JSONValue {
            [
                "flow": flow["id"] ?? .null, "step": flow["step"]?["id"] ?? .null, "action": "resend",
                "submissionId": .string("a-\(UInt64.random(in: 0 ... .max))"),
            ]
        }
        func left(_ flow: JSONValue) -> Int64? { flow["step"]?["attempts"]?["remaining"]?.int }
        var flow = try person.beginSignUp(connection)
        let first = try machine.code(for: person.email)
        let other = first == "000000" ? "000001" : "000000"
        flow = try #require(try connection.submit(flow, ["code": .string(other)])["flow"])
        #expect(left(flow) == 4)
        let early = try connection.refusal("flow.action", action(flow))
        #expect(early.code == 1013 && (1...30_000).contains(early.retryAfterMs ?? 0), "\(early)")
        let now = try #require(try connection.call("flow.get", ["flow": flow["id"] ?? .null])["flow"])
        #expect(left(now) == 4 && now["step"]?["id"] == flow["step"]?["id"], "\(now)")
        for file in try FileManager.default.contentsOfDirectory(atPath: machine.outbox) {
            try FileManager.default.removeItem(atPath: machine.outbox + "/" + file)
        }
        try machine.wallClock?.set(by: 1)
        flow = try #require(try connection.call("flow.action", action(flow))["flow"])
        #expect(left(flow) == 4, "\(flow)")
        let second = try machine.code(for: person.email)
        try #require(first != second)
        let old = try connection.submit(flow, ["code": .string(first)])
        flow = try #require(old["flow"])
        #expect(old["verdict"]?.string == "rejected" && left(flow) == 3, "\(old)")
        try person.endSignUp(flow, code: second, connection)
        // The code works only once.
        let used = try connection.refusal("flow.submit", Connection.submission(flow, ["code": .string(second)]))
        #expect(used.code == 1003, "\(used)")
        daemon.signal(SIGTERM)
        #expect(daemon.wait() == 0)
    }
}
