import Foundation
import OAuth
import TestSupport
import Testing

/// Tests of `tokenbroker request` at an API that requires additional verification.
@Suite(.timeLimit(.minutes(5)))
struct RequestStepUpTests {
    private let machine: Machine
    private let broker: RunningProgram
    private let api: RunningProgram
    private let person = Person.random()

    /// Starts a `tasksd` that requires a PIN for the balance, and signs up a user who has no PIN.
    init() throws {
        machine = try Machine(hasOwnClock: true)
        broker = try machine.startBroker()
        api = try machine.startTasks()
        try person.signUp(machine.connect(), on: machine)
    }

    private var balance: String { machine.api + "/api/balance" }

    private func end() {
        for program in [api, broker] {
            program.signal(SIGTERM)
            #expect(program.wait() == 0, "\(program.errors())")
        }
    }

    /// Returns the number of requests for the balance that the API has received.
    private func requests() -> Int {
        api.errors().split(separator: "\n").filter { $0.contains("route=/api/balance") }.count
    }

    @Test("the balance requires a PIN once, and the request is sent again and its response printed") func pin() throws {
        let shown = try machine.atTerminal(
            "tokenbroker",
            ["request", balance],
            answers: ["E-mail=\(person.email)", "Password=\(person.password)", "New PIN=2468", "New PIN again=2468"]
        )
        #expect(shown.status == 0 && shown.output.contains("19938.80"), "\(shown.output)\(shown.errors)")
        #expect(!shown.output.contains("2468") && !shown.output.contains(person.password))
        // The API received a request that it refused, and a request after the PIN was set.
        #expect(requests() == 2)
        // A successful PIN check is valid for a minute. After that, only the PIN is required.
        let again = try machine.tokenbroker(["request", "--no-prompt", balance])
        #expect(again.status == 0 && again.output.contains("19938.80"), "\(again.errors)")
        try machine.wallClock?.set(by: 2)
        let asked = try machine.atTerminal("tokenbroker", ["request", balance], answers: ["PIN=0000", "PIN=2468"])
        #expect(asked.status == 0 && asked.output.contains("19938.80"), "\(asked.output)\(asked.errors)")
        #expect(asked.output.contains("That PIN is not correct."))
        end()
    }

    @Test("without a terminal the missing check is named, and the request is not sent again") func nobody() throws {
        for arguments in [["request", "--no-prompt", balance], ["request", balance]] {
            let before = requests()
            let refused = try machine.tokenbroker(arguments)
            #expect(refused.status == 77 && refused.output.isEmpty, "\(refused)")
            #expect(refused.errors.contains("this command requires additional verification"), "\(refused.errors)")
            #expect(requests() == before + 1)
        }
        end()
    }
}
