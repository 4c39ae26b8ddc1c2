import Foundation
import TestSupport
import Testing

/// `tasks`: its tokens reach the origins of the API, and nothing else.
@Suite(.timeLimit(.minutes(5)))
struct TasksOriginTests {
    @Test("an address that the daemon does not name gets no token, whatever `tasks.yaml` says") func refused() throws {
        let machine = try Machine()
        let api = try RecordingAPI()
        let daemon = try machine.startBroker()
        try machine.signUp(.random())
        // The same port under another name is another origin.
        for address in [api.base, "http://127.0.0.1:\(api.port)", "http://127.0.0.1:\(machine.tasksPort)"] {
            try machine.write(["api: \(address)"], to: "etc/tasks.yaml")
            for command in [["sync"], ["balance"]] {
                let outcome = try machine.tasks(command)
                #expect(outcome.status == 77, "\(command): \(outcome.status)")
                #expect(
                    outcome.errors.contains("no token goes to \(address): tokens go to \(machine.api) (tasks)"),
                    "\(outcome.errors)"
                )
            }
        }
        #expect(try api.requests().isEmpty)
        daemon.signal(15)
        #expect(daemon.wait() == 0)
    }

    @Test("scopes of another API get no token for this one") func otherAPI() throws {
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
