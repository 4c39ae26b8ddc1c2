import Foundation
import OAuth
import TestSupport
import Testing

/// Tests that three wrong answers block a user name, over any connection and after a restart of the daemon.
@Suite(.timeLimit(.minutes(5)))
struct BlockTests {
    private func signIn(_ connection: Connection) throws -> JSONValue {
        let started = try connection.call(
            "flow.start",
            ["policy": "b2c_1_sign_in", "requestId": .string("in-\(UInt64.random(in: 0 ... .max))")]
        )
        return try #require(started["flow"])
    }

    private func answers(_ name: String, _ password: String) -> JSONValue {
        ["username": .string(name), "password": .string(password)]
    }

    @Test("three wrong passwords block, also after a new connection, a restart or the right password")
    func blocked() throws {
        let machine = try Machine()
        var daemon = try machine.startBroker()
        let person = Person.random()
        let connection = try machine.connect()
        try person.signUp(connection, on: machine)

        var flow = try signIn(connection)
        for remaining in [2, 1] as [Int64] {
            let answer = try connection.submit(flow, answers(person.email, "Wrong-horse-\(remaining)"))
            #expect(answer["verdict"]?.string == "rejected")
            flow = try #require(answer["flow"])
            #expect(flow["step"]?["attempts"]?["remaining"]?.int == remaining)
            #expect(flow["step"]?["messages"]?.array?.first?["code"]?.string == "credentials.wrong")
        }
        let last = try connection.submit(flow, answers(person.email, "Wrong-horse-7"))
        #expect(last["verdict"]?.string == "rejected")
        #expect(last["flow"]?["state"]?.string == "failed")
        #expect(last["flow"]?["reason"]?.string == "blocked")
        #expect((last["flow"]?["retryAfterMs"]?.int ?? 0) > 0)

        let other = try machine.connect()
        let refused = try other.refusal(
            "flow.submit",
            Connection.submission(try signIn(other), answers(person.email, person.password))
        )
        #expect(refused.code == 1007)
        #expect((refused.retryAfterMs ?? 0) > 0)

        daemon.signal(SIGKILL)
        daemon.wait()
        daemon = try machine.startBroker()
        let third = try machine.connect()
        let still = try third.refusal(
            "flow.submit",
            Connection.submission(try signIn(third), answers(person.email, person.password))
        )
        #expect(still.code == 1007)
        daemon.signal(SIGTERM)
        daemon.wait()
    }

    @Test("an unknown name is refused and blocked with the same messages as a known one")
    func unknownName() throws {
        let machine = try Machine()
        let daemon = try machine.startBroker()
        let person = Person.random()
        let connection = try machine.connect()
        try person.signUp(connection, on: machine)

        func shape(_ name: String) throws -> [String] {
            var flow = try signIn(connection)
            var seen: [String] = []
            for guess in [7, 7, 8, 9] {
                let answer = try connection.submit(flow, answers(name, "Wrong-horse-\(guess)"))
                flow = try #require(answer["flow"])
                let step = flow["step"]
                seen.append(
                    [
                        answer["verdict"]?.text, flow["state"]?.text, flow["reason"]?.text,
                        // The block of ten seconds began with the last attempt, so slightly less than ten seconds are
                        // left.
                        flow["retryAfterMs"]?.int.map { "\((9_000 ... 10_000).contains($0))" },
                        step?["type"]?.text, step?["attempts"]?.text, step?["messages"]?.text, step?["title"]?.text,
                    ].map { $0 ?? "-" }.joined(separator: " ")
                )
            }
            return seen
        }
        #expect(try shape(person.email) == shape("nobody@example.org"))
        daemon.signal(SIGTERM)
        daemon.wait()
    }

    @Test(
        "while names are blocked, the right password, a wrong one and an unknown name get the same refusal"
    )
    func blockedAlike() throws {
        let machine = try Machine()
        try machine.lengthenBlocks()
        let daemon = try machine.startBroker()
        let (person, nobody) = (Person.random(), Person.random())
        let connection = try machine.connect()
        try person.signUp(connection, on: machine)
        for name in [person.email, nobody.email] {
            var flow = try signIn(connection)
            for guess in 1...3 {
                flow = try #require(try connection.submit(flow, answers(name, "Wrong-horse-\(guess)"))["flow"])
            }
            #expect(flow["reason"]?.string == "blocked", "\(flow)")
        }
        var seen: [(message: String, data: JSONValue)] = []
        for (name, password) in [
            (person.email, person.password), (person.email, "Wrong-horse-8"), (nobody.email, person.password),
        ] {
            let params = Connection.submission(try signIn(connection), answers(name, password))
            let refused = try connection.refusal("flow.submit", params)
            #expect(refused.code == 1007)
            // The block of an hour began with the last attempt.
            #expect((3_500_000...3_600_000).contains(refused.retryAfterMs ?? 0), "\(refused)")
            var data = try #require(refused.data.object)
            for own in ["retryAfterMs", "correlationId"] { #expect(data.removeValue(forKey: own) != nil, "\(own)") }
            seen.append((refused.message, .object(data)))
        }
        for other in seen.dropFirst() { #expect(other.message == seen[0].message && other.data == seen[0].data) }
        #expect(seen[0].data["reason"]?.string == "blocked", "\(seen[0])")
        daemon.signal(SIGTERM)
        daemon.wait()
    }

    @Test("of fifty simultaneous answers to eight flows, three are verified")
    func parallel() throws {
        let machine = try Machine()
        let daemon = try machine.startBroker()
        let person = Person.random()
        let connection = try machine.connect()
        try person.signUp(connection, on: machine)
        var flows: [JSONValue] = []
        for _ in 0..<8 { flows.append(try signIn(connection)) }

        let open = flows
        let replies = inThreads(50) { number in
            do {
                let answers = answers(person.email, "Wrong-horse-\(number)")
                let answer = try machine.connect().submit(open[number % open.count], answers)
                return answer["verdict"]?.string ?? "?"
            } catch let refused as Connection.Refused {
                return refused.reason ?? "?"
            } catch {
                return "\(error)"
            }
        }
        let outcomes = replies.reduce(into: [String: Int]()) { $0[$1, default: 0] += 1 }
        #expect(outcomes["rejected"] == 3, "\(outcomes)")
        #expect(outcomes["accepted"] == nil)
        let blocked = try connection.refusal(
            "flow.submit",
            Connection.submission(try signIn(connection), answers(person.email, person.password))
        )
        #expect(blocked.code == 1007)
        daemon.signal(SIGTERM)
        daemon.wait()
    }
}
