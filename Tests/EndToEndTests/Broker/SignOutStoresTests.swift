import Foundation
import NIOHTTP1
import OAuth
import TestSupport
import Testing

/// End-to-end tests of an account's offline stores at a sign-out and after a change of the setting `seal`.
@Suite(.timeLimit(.minutes(10)))
struct SignOutStoresTests {
    private func ok(_ outcome: BuiltProgram.Outcome) -> String {
        #expect(outcome.status == 0, "\(outcome.errors)")
        return outcome.output
    }

    private func end(_ programs: RunningProgram...) {
        for program in programs {
            program.signal(SIGTERM)
            #expect(program.wait() == 0)
        }
    }

    /// Runs `test` after a user has signed in and synced, and after the API has stopped.
    private func away(_ test: (Machine) async throws -> Void) async throws {
        let machine = try Machine()
        let broker = try machine.startBroker()
        let api = try machine.startTasks()
        try machine.signUp(.random())
        _ = try ok(machine.tasks(["list"]))
        end(api)
        try await test(machine)
        end(broker)
    }

    private func stores(_ machine: Machine) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: machine.folder.path("data/stores")).sorted()
    }

    /// Returns whether any file of the offline stores contains `text` unencrypted.
    private func isReadable(_ text: String, _ machine: Machine) throws -> Bool {
        let folder = machine.folder.path("data/stores")
        let names = try FileManager.default.subpathsOfDirectory(atPath: folder)
        return names.contains { name in
            FileManager.default.contents(atPath: "\(folder)/\(name)")?.range(of: Data(text.utf8)) != nil
        }
    }

    private func seal(_ value: Bool, _ machine: Machine) throws {
        try machine.write(["api: \(machine.api)", "seal: \(value)"], to: "etc/tasks.yaml")
    }

    /// Returns the texts of the tasks that the API has.
    private func served(_ machine: Machine, _ token: String) async throws -> [String] {
        let answer = try await WebAnswer.to(.GET, "\(machine.api)/tables/todoitem", token: token)
        return answer.json?.array?.compactMap { $0["text"]?.string }.sorted() ?? []
    }

    private func token(_ machine: Machine) throws -> String {
        try ok(machine.tokenbroker(["token", "--client", "tasks-cli", "--scope", "tasks.read"]))
            .trimmingCharacters(in: .newlines)
    }

    @Test("sign-out sends pending edits and removes the store; if an edit cannot be sent, the account remains")
    func signOut() async throws {
        let machine = try Machine()
        let broker = try machine.startBroker()
        var api = try machine.startTasks()
        try machine.signUp(.random())
        _ = try ok(machine.tasks(["list"]))
        end(api)
        _ = try ok(machine.tasks(["add", "Buy milk"]))
        #expect(try machine.tasks(["sign-out"]).status == 75)
        api = try machine.startTasks()
        _ = try ok(machine.tasks(["sign-out"]))
        #expect(try FileManager.default.contentsOfDirectory(atPath: machine.folder.path("data/stores")).isEmpty)
        end(api, broker)
    }

    @Test("sign-out --discard discards pending edits and removes the store") func discard() async throws {
        try await away { machine in
            _ = try ok(machine.tasks(["add", "Buy milk"]))
            #expect(try ok(machine.tasks(["sign-out", "--discard"])).hasPrefix("Signed out"))
            #expect(try stores(machine).isEmpty)
        }
    }

    @Test("sign-out prompts at a terminal: the user discards the pending edits or keeps the account") func asked()
        async throws
    {
        try await away { machine in
            for text in ["Buy milk", "Sleep"] { _ = try ok(machine.tasks(["add", text])) }
            let arguments = ["sign-out"] + machine.tasksArguments
            let sent = try machine.atTerminal("tasks", arguments, answers: ["2 edits have=y"])
            #expect(sent.status == 75, "\(sent.output)")
            #expect(try stores(machine).count == 1)
            let lost = try machine.atTerminal("tasks", arguments, answers: ["2 edits have=n"])
            #expect(lost.status == 0, "\(lost.output)")
            #expect(try stores(machine).isEmpty)
        }
    }

    @Test("a change of `seal` keeps every task and edit, and leaves no readable copy") func seal() async throws {
        try await away { machine in
            _ = try ok(machine.tasks(["add", "Buy milk", "--id", "milk"]))
            let sealed = try stores(machine)
            try seal(false, machine)
            #expect(try ok(machine.tasks(["list"])).contains("pending"))
            #expect(try stores(machine) == sealed.map { $0 + ".plain" })
            #expect(try isReadable("Buy milk", machine))
            _ = try ok(machine.tasks(["edit", "milk", "Buy oat milk"]))
            try seal(true, machine)
            #expect(try ok(machine.tasks(["status"])).contains("Buy oat milk"))
            #expect(try stores(machine) == sealed)
            #expect(try !isReadable("Buy", machine))
        }
    }

    @Test("the saved edits of a damaged store survive a change of `seal` and a sign-out, but not --discard")
    func saved() async throws {
        try await away { machine in
            _ = try ok(machine.tasks(["add", "Buy milk"]))
            let name = try #require(try stores(machine).first)
            let folder = machine.folder.path("data/stores")
            let store = URL(fileURLWithPath: "\(folder)/\(name)/store.sqlite")
            #expect(!FileManager.default.fileExists(atPath: store.path + "-wal"))
            var bytes = try Data(contentsOf: store)
            bytes.replaceSubrange(0..<4096, with: Data((0..<4096).map { UInt8(truncatingIfNeeded: $0 &* 167 &+ 91) }))
            try bytes.write(to: store)
            try seal(false, machine)
            let list = try machine.tasks(["list"])
            let found = list.errors.firstMatch(of: /edits saved: 1\. To apply them, run `tasks import (\S+)`/)
            let saved = try #require(found.map { String($0.1) }, "\(list.errors)")
            #expect(saved.hasPrefix("\(folder)/\(name).plain/"))
            #expect(try stores(machine) == [name + ".plain"])
            let names = try FileManager.default.contentsOfDirectory(atPath: "\(folder)/\(name).plain")
            #expect(names.contains { $0.hasPrefix("store.sqlite.damaged-") })
            let refused = try machine.tasks(["sign-out"])
            #expect(refused.status == 75 && refused.errors.contains(saved), "\(refused.errors)")
            // Saved edits cannot be imported before the first pull, which needs the API.
            for arguments in [["import", saved], ["import", saved, "--offline"]] {
                let imported = try machine.tasks(arguments)
                #expect(imported.status == 69, "\(imported.output)\(imported.errors)")
            }
            #expect(try ok(machine.tasks(["status"])) == "No edits are waiting. The server has all your changes.\n")
            #expect(try ok(machine.tasks(["sign-out", "--discard"])).hasPrefix("Signed out"))
            #expect(try stores(machine).isEmpty)
        }
    }

    @Test("a sign-out that finds the store damaged saves its edits and does not sign out") func damaged()
        async throws
    {
        try await away { machine in
            _ = try ok(machine.tasks(["add", "Buy milk"]))
            let name = try #require(try stores(machine).first)
            let store = URL(fileURLWithPath: machine.folder.path("data/stores/\(name)/store.sqlite"))
            var bytes = try Data(contentsOf: store)
            bytes.replaceSubrange(0..<4096, with: Data(repeating: 0xA5, count: 4096))
            try bytes.write(to: store)
            let outcome = try machine.tasks(["sign-out"])
            #expect(outcome.status == 75, "\(outcome.output)")
            let found = outcome.errors.firstMatch(of: /saved: \d+\. To apply them, run `tasks import (\S+)`/)
            let saved = try #require(found.map { String($0.1) }, "\(outcome.errors)")
            #expect(FileManager.default.fileExists(atPath: saved))
            #expect(try stores(machine) == [name])
        }
    }

    @Test("if both a sealed and a plain store exist, sign-out sends the edits of both") func both() async throws {
        try await away { machine in
            let token = try token(machine)
            _ = try ok(machine.tasks(["add", "Sealed"]))
            let name = try #require(try stores(machine).first)
            let (kept, store) = (machine.folder.path("kept"), machine.folder.path("data/stores/\(name)"))
            try FileManager.default.moveItem(atPath: store, toPath: kept)
            try seal(false, machine)
            _ = try ok(machine.tasks(["add", "Plain"]))
            try FileManager.default.moveItem(atPath: kept, toPath: store)
            #expect(try stores(machine) == [name, name + ".plain"])
            for isSealed in [false, true] {
                try seal(isSealed, machine)
                #expect(try machine.tasks(["sign-out"]).errors.contains("2 edits"))
            }
            let api = try machine.startTasks()
            _ = try ok(machine.tasks(["sign-out"]))
            #expect(try stores(machine).isEmpty)
            #expect(try await served(machine, token) == ["Plain", "Sealed"])
            end(api)
        }
    }

    @Test("an interrupted change of `seal` continues where it stopped", arguments: [false, true])
    func interrupted(_ isWhole: Bool) async throws {
        try await away { machine in
            _ = try ok(machine.tasks(["add", "Buy milk"]))
            let name = try #require(try stores(machine).first)
            let folder = machine.folder.path("data/stores")
            try seal(false, machine)
            // The new store exists under its temporary name, and is completely or only partly written.
            if isWhole {
                _ = try ok(machine.tasks(["status"]))
                try FileManager.default.moveItem(
                    atPath: "\(folder)/\(name).plain",
                    toPath: "\(folder)/\(name).plain.copy"
                )
                try FileManager.default.createDirectory(
                    atPath: "\(folder)/\(name).plain.copied",
                    withIntermediateDirectories: false
                )
            } else {
                try FileManager.default.createDirectory(
                    atPath: "\(folder)/\(name).plain.copy",
                    withIntermediateDirectories: false,
                    attributes: [.posixPermissions: 0o700]
                )
            }
            #expect(try ok(machine.tasks(["status"])).contains("Buy milk"))
            #expect(try stores(machine) == [name + ".plain"])
        }
    }
}
