import Foundation
import TestSupport
import Testing

/// Tests that `tasks` sends its tokens only to the origins of the API.
@Suite(.timeLimit(.minutes(5)))
struct TasksOriginTests {
    @Test("an address that the daemon does not name gets no token, whatever `tasks.yaml` says") func refused() throws {
        let machine = try Machine()
        let api = try RecordingAPI()
        let daemon = try machine.startBroker()
        try machine.signUp(.random())
        // The same port under another host name is another origin.
        for address in [api.base, "http://127.0.0.1:\(api.port)", "http://127.0.0.1:\(machine.tasksPort)"] {
            try machine.write(["api: \(address)"], to: "etc/tasks.yaml")
            for command in [["sync"], ["balance"]] {
                let outcome = try machine.tasks(command)
                #expect(outcome.status == 77, "\(command): \(outcome.status)")
                #expect(
                    outcome.errors.contains(
                        "Tokens are not sent to \(address). Tokens are only sent to \(machine.api) (tasks)."
                    ),
                    "\(outcome.errors)"
                )
            }
        }
        #expect(try api.requests().isEmpty)
        daemon.signal(15)
        #expect(daemon.wait() == 0)
    }

    @Test("`tasks` gets no token for the scopes of another API") func otherAPI() throws {
        let machine = try Machine(configuration: [
            "apis:",
            "  tasks: {audience: tasks, origins: [\"http://localhost:1\"], scopes: {tasks.read: R, tasks.write: W, "
                + "accessRestricted: B, transferPrivilege: T}}",
            "  notes: {audience: notes, origins: [\"https://notes.example\"], scopes: {notes.read: Read}}",
        ])
        let api = try RecordingAPI()
        try machine.allow(origin: api.base)
        let daemon = try machine.startBroker()
        try machine.signUp(.random())
        try machine.write(["api: \(api.base)", "scopes: [notes/notes.read]"], to: "etc/tasks.yaml")
        let outcome = try machine.tasks(["sync"])
        #expect(outcome.status != 0 && !outcome.errors.isEmpty, "\(outcome.status) \(outcome.errors)")
        #expect(try api.requests().isEmpty)
        daemon.signal(15)
        #expect(daemon.wait() == 0)
    }
}
