import Foundation
import OAuth
import TestSupport
import Testing

/// End-to-end tests of the examples for a challenge handler and a bearer token.
@Suite(.timeLimit(.minutes(2)))
struct HandlerExampleTests {
    @Test("the challenge handler example handles a PIN: a wrong one, success, its own cancel and a block")
    func example() throws {
        let machine = try Machine()
        let broker = try machine.startBroker()
        let person = Person.random()
        let connection = try machine.connect()
        try person.signUp(connection, on: machine)
        let asked = try #require(try connection.call("credential.enrol", ["type": "pin"])["flow"])
        let setup = try #require(try connection.submit(asked, ["password": .string(person.password)])["flow"])
        #expect(try connection.submit(setup, ["pin": "2468"])["verdict"]?.string == "accepted")
        func run(_ input: String) throws -> [String] {
            _ = try connection.call("check.logout", ["check": "PinCodeAttempts"])
            let outcome = try BuiltProgram("example-pin-handler").run(
                [],
                input: input,
                environment: ["TOKENBROKER_SOCKET": machine.socket]
            )
            return outcome.output.split(separator: "\n").map(String.init)
        }
        let right = try run("0000\n2468\n")
        #expect(right.count == 4, "\(right)")
        let first = #"challenge: {"challenges":{"PinCodeAttempts":{"errorMsg":null,"remainingAttempts":3}}}"#
        #expect(right.first == first)
        #expect(right.dropFirst().first?.contains(#""remainingAttempts":2"#) == true)
        #expect(right.last == "a token for accessRestricted, acr 2")
        let cancelled = try run("\n")
        #expect(cancelled.dropFirst().first == "failure: The flow was cancelled.", "\(cancelled)")
        let blocked = try run("1111\n1111\n1111\n")
        #expect(blocked.contains("failure: There were too many failed attempts. Try again later."), "\(blocked)")
        broker.signal(SIGTERM)
        #expect(broker.wait() == 0)
    }

    @Test("the bearer token example calls an API, gets one new token after a 401, and reports why it has none")
    func bearer() throws {
        let machine = try Machine()
        let broker = try machine.startBroker()
        let tasks = try machine.startTasks()
        let api = try RecordingAPI()
        func run(_ address: String) throws -> String {
            let environment = ["TOKENBROKER_SOCKET": machine.socket]
            return try BuiltProgram("example-bearer-token").run([address, "tasks.read"], environment: environment)
                .output
        }
        let nobody = try run("\(machine.api)/tables/todoitem")
        #expect(nobody.hasPrefix("no answer: ") && nobody.contains("must sign in"), "\(nobody)")
        try Person.random().signUp(try machine.connect(), on: machine)
        #expect(try run("\(machine.api)/tables/todoitem") == "200 []\n")
        #expect(try run("\(api.base)/refuse-first") == "200 hello \n")
        #expect(try run("\(api.base)/refuse") == "401 never\n")
        #expect(try run("\(api.base)/to?\(machine.api)/tables/todoitem").hasPrefix("302"))
        let sent = try api.requests().map { ($0.path.prefix { $0 != "?" }, $0.headers["authorization"] ?? "") }
        #expect(sent.map { String($0.0) } == ["/refuse-first", "/refuse-first", "/refuse", "/refuse", "/to"])
        #expect(sent.allSatisfy { $0.1.hasPrefix("Bearer ") } && Set(sent.prefix(2).map(\.1)).count == 2)
        for program in [tasks, broker] {
            program.signal(SIGTERM)
            #expect(program.wait() == 0)
        }
    }
}
