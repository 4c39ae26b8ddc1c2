import Foundation
import NIOHTTP1
import OAuth
import Synchronization
import TestSupport
import Testing

/// Tests tables whose definitions change while users work, with the built programs.
@Suite(.timeLimit(.minutes(5)))
struct TablesReloadTests {
    private static let columns = """
        text: {type: string, required: true}, complete: {type: boolean, default: false}, duration: {type: number}, \
        due: {type: date}, notes: {type: string}, tags: {type: string}, priority: {type: number}
        """

    @Test("a reload adds a table and a column while tasks are added, and no task is lost")
    func reload() async throws {
        let machine = try Machine()
        let broker = try machine.startBroker()
        let (api, notify) = try start(on: machine)
        try Person.random().signUp(try machine.connect(), on: machine)
        let file = machine.folder.path("etc/tasksd.yaml")
        let lines = try String(contentsOfFile: file, encoding: .utf8).split(separator: "\n").map(String.init)
        let token = try machine.tokenbroker(["token", "--scope", "tasks.read", "--scope", "tasks.write"])
            .output.trimmingCharacters(in: .newlines)
        #expect(try await WebAnswer.to(.GET, "\(machine.api)/tables/note", token: token).status == 404)

        let (count, ended) = (8, DispatchSemaphore(value: 0))
        let statuses = Mutex<[Int32]>([])
        Thread.detachNewThread {
            for number in 0..<count {
                let status = (try? machine.tasks(["add", "task \(number)"]).status) ?? -1
                statuses.withLock { $0.append(status) }
            }
            ended.signal()
        }
        for more in [
            "", "  note: {columns: {text: {type: string}}}", "  other: {id: integer, columns: {n: {type: number}}}",
        ] {
            let color = more.isEmpty ? "" : ", color: {type: string, default: blue}"
            let tables = ["tables:", "  todoitem: {columns: {\(Self.columns)\(color)}}"] + (more.isEmpty ? [] : [more])
            try machine.write(lines + tables, to: "etc/tasksd.yaml")
            api.signal(SIGHUP)
            #expect(notify.receives("READY=1"), "\(api.errors())")
        }
        await Self.inThread { ended.wait() }
        #expect(statuses.withLock { $0 } == Array(repeating: 0, count: count))

        let expected = Set((0..<count).map { "task \($0)" })
        #expect(try texts(machine) == expected)
        let other = try await WebAnswer.to(.POST, "\(machine.api)/tables/other", ["n": 5], token: token)
        #expect(other.status == 201 && other.json?["id"] == 1)
        // A table that the configuration no longer names is not served, but keeps its rows.
        #expect(try await WebAnswer.to(.GET, "\(machine.api)/tables/note", token: token).status == 404)
        let colored = try await WebAnswer.to(
            .POST,
            "\(machine.api)/tables/todoitem",
            ["text": "last"],
            token: token
        )
        #expect(colored.status == 201 && colored.json?["color"] == "blue")
        api.signal(SIGTERM)
        #expect(api.wait() == 0)
        let (again, _) = try start(on: machine)
        #expect(try texts(machine) == expected.union(["last"]))
        for program in [again, broker] {
            program.signal(SIGTERM)
            #expect(program.wait() == 0)
        }
    }

    private func texts(_ machine: Machine) throws -> Set<String> {
        let outcome = try machine.tasks(["list", "--all", "--json"])
        #expect(outcome.status == 0, "\(outcome.errors)")
        let rows = try StrictJSON.parse(Array(outcome.output.utf8)).array ?? []
        return Set(rows.compactMap { $0["text"]?.string })
    }

    /// Starts `tasksd`, and returns the process and the socket on which it reports finished reloads.
    private func start(on machine: Machine) throws -> (RunningProgram, NotifySocket) {
        let notify = NotifySocket(machine.folder.path("run/notify-reload"))
        let arguments = [
            "--config", machine.folder.path("etc/tasksd.yaml"), "--state-directory", machine.folder.path("tasksd"),
        ]
        let environment = machine.environment.merging(["NOTIFY_SOCKET": notify.path]) { $1 }
        let program = try BuiltProgram("tasksd").start(arguments, environment: environment)
        guard notify.receives("READY=1") else { throw NotReady(name: "tasksd", errors: program.errors()) }
        return (program, notify)
    }

    private static func inThread(_ body: @escaping @Sendable () -> Void) async {
        await withCheckedContinuation { done in
            Thread.detachNewThread {
                body()
                done.resume()
            }
        }
    }
}
