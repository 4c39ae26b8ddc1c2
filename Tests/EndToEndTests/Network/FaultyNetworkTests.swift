import Foundation
import OAuth
import Synchronization
import TestSupport
import Testing

/// Tests with two devices of one user over a network that loses, delays and duplicates requests.
///
/// Each command runs in a separate process. At the end, both devices and the server must agree. Each acknowledged edit
/// must be in the final state or in a printed conflict, unless another edit of the same column or a deletion has
/// replaced it.
@Suite("Over a faulty network", .timeLimit(.minutes(10)))
struct FaultyNetworkTests {
    /// An edit that set a column of a task to a value.
    private struct Edit {
        let task: String
        let column: String
        let value: String
        let began: ContinuousClock.Instant
        let ended: ContinuousClock.Instant
    }

    /// The acknowledged edits and the printed conflicts of both devices.
    private struct Journal {
        var edits: [Edit] = []
        var deleted: Set<String> = []
        /// The output that shows both sides of each conflict.
        var shown = ""
    }

    /// The number of rounds that each device runs.
    private static let rounds = 12
    private static let tasks = ["a", "b", "c", "d", "e", "f", "g", "h"]

    @Test("two devices and the server agree in the end, and no acknowledged edit is lost", arguments: [1, 2])
    func converge(_ seed: UInt64) async throws {
        let machine = try Machine()
        let proxy = try FaultyProxy(to: machine.tasksPort, seed: seed)
        defer { proxy.stop() }
        try machine.allow(origin: "http://localhost:\(proxy.port)")
        let broker = try machine.startBroker()
        let api = try machine.startTasks()
        try machine.signUp(.random())
        let account = try json(machine.tasks(["whoami", "--json"]))["account"]?.string ?? ""
        try machine.write(["api: http://localhost:\(proxy.port)"], to: "etc/proxied.yaml")
        let devices = ["one", "two"].map { Device(machine: machine, name: $0, account: account) }
        let journal = Mutex(Journal())
        let failures = inThreads(2) { number -> String? in
            do {
                try live(devices[number], SeededGenerator(seed: seed &* 31 &+ UInt64(number)), journal)
                return nil
            } catch {
                return "\(error)"
            }
        }
        #expect(failures.allSatisfy { $0 == nil }, "\(failures)")
        proxy.repair()
        try settle(devices, journal)
        let states = try devices.map { try state($0.run(["list", "--all", "--json", "--offline"])) }
        // A new device pulls all tasks from the server.
        let fresh = try state(
            Device(machine: machine, name: "fresh", account: account).run(["list", "--all", "--json"])
        )
        #expect(states[0] == states[1])
        #expect(states[1] == fresh)
        #expect(!fresh.isEmpty)
        check(journal.withLock { $0 }, fresh)
        let faults = proxy.counts.filter { $0.key != .none }.values.reduce(0, +)
        #expect(faults > 5, "\(proxy.counts)")
        for program in [api, broker] {
            program.signal(SIGTERM)
            #expect(program.wait() == 0)
        }
    }

    private struct Device: Sendable {
        let machine: Machine
        let name: String
        let account: String

        func run(_ arguments: [String]) throws -> BuiltProgram.Outcome {
            try machine.tasks(
                arguments + [
                    "--config", machine.folder.path("etc/proxied.yaml"), "--data-directory",
                    machine.folder.path(name), "--account", account,
                ]
            )
        }
    }

    /// Runs one device, which makes random edits, syncs, and resolves conflicts.
    private func live(_ device: Device, _ generator: SeededGenerator, _ journal: borrowing Mutex<Journal>) throws {
        var random = generator
        for round in 0..<Self.rounds {
            let task = random.pick(Self.tasks)
            let value = "\(device.name)-\(round)"
            switch random.below(10) {
            case 0...3: try edit(device, ["add", "--id", task, value], task, "text", value, journal)
            case 4...5: try edit(device, ["edit", task, "--notes", value], task, "notes", value, journal)
            case 6: try edit(device, ["edit", task, value], task, "text", value, journal)
            case 7:
                let outcome = try device.run(["delete", task])
                if outcome.status == 0 || outcome.errors.contains("stored locally") {
                    journal.withLock { _ = $0.deleted.insert(task) }
                }
            case 8: _ = try device.run(["sync"])
            default: try resolve(device, random.below(2) == 0 ? "--mine" : "--theirs", journal)
            }
        }
    }

    private func edit(
        _ device: Device,
        _ arguments: [String],
        _ task: String,
        _ column: String,
        _ value: String,
        _ journal: borrowing Mutex<Journal>
    ) throws {
        let began = ContinuousClock.now
        let outcome = try device.run(arguments)
        // A command with another status may still have stored the edit. Its message reports that.
        guard outcome.status == 0 || outcome.errors.contains("stored locally") else { return }
        journal.withLock {
            $0.edits.append(Edit(task: task, column: column, value: value, began: began, ended: .now))
        }
    }

    /// Prints the device's conflicts into the journal, and resolves each conflict with `decision`.
    private func resolve(_ device: Device, _ decision: String, _ journal: borrowing Mutex<Journal>) throws {
        let shown = try device.run(["conflicts", "--json"])
        guard shown.status == 0 else { return }
        journal.withLock { $0.shown += shown.output }
        for conflict in try json(shown).array ?? [] {
            guard let id = conflict["id"]?.string else { continue }
            _ = try device.run(["resolve", id, decision, "--offline"])
        }
    }

    /// Syncs both devices until no conflicts are left.
    ///
    /// The network is repaired, so fewer edits remain after each round.
    private func settle(_ devices: [Device], _ journal: borrowing Mutex<Journal>) throws {
        // An edit of the last device reaches the first device only in the next round, so two rounds without conflicts
        // must follow each other.
        var settled = 0
        for _ in 0..<10 {
            var isSettled = true
            for device in devices {
                let sync = try device.run(["sync"])
                #expect([0, 1].contains(sync.status), "\(sync.errors)")
                isSettled = isSettled && sync.status == 0
                if sync.status == 1 { try resolve(device, "--mine", journal) }
            }
            settled = isSettled ? settled + 1 : 0
            if settled == 2 { return }
        }
        Issue.record("the conflicts do not end")
    }

    private func check(_ journal: Journal, _ final: [String: JSONValue]) {
        #expect(!journal.edits.isEmpty)
        for edit in journal.edits where !journal.deleted.contains(edit.task) {
            let value = final[edit.task]?[edit.column]?.string
            let isSuperseded = journal.edits.contains {
                $0.task == edit.task && $0.column == edit.column && $0.value == value && $0.ended > edit.began
            }
            let wasShown = journal.shown.contains("\"\(edit.value)\"")
            #expect(
                value == edit.value || isSuperseded || wasShown,
                "\(edit) is nowhere; there is \(value ?? "nothing")"
            )
        }
    }

    private func json(_ outcome: BuiltProgram.Outcome) throws -> JSONValue {
        #expect(outcome.status == 0, "\(outcome.errors)")
        return try StrictJSON.parse(Array(outcome.output.utf8), integers: .orFloating)
    }

    /// Returns the tasks in a command's JSON output, keyed by id.
    private func state(_ outcome: BuiltProgram.Outcome) throws -> [String: JSONValue] {
        let rows = try json(outcome).array ?? []
        return Dictionary(rows.map { ($0["id"]?.string ?? "", $0) }) { first, _ in first }
    }
}
