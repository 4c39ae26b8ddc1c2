import Foundation
import GRDB
import HTTPServer
import LocalIssuer
import OAuth
import Tables
import TablesClient
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(2)))
struct TasksdTests {
    @Test("rows survive a restart, each belongs to its user, and SIGTERM exits with 0") func life() async throws {
        try await Daemon.scene { (daemon: Daemon) async throws in
            let (first, _) = try await daemon.start()
            let row = try await daemon.call(as: "alice") { try await $0.insert("todoitem", ["text": .string("milk")]) }
            _ = try await daemon.call(as: "alice") { client in
                try await client.update("todoitem", row.id, ["complete": .boolean(true)], ifMatch: row.version)
            }
            #expect(try await daemon.call(as: "bob") { try await $0.list("todoitem") }.isEmpty)
            #expect(await daemon.stop(first) == 0)
            let (second, _) = try await daemon.start()
            let rows = try await daemon.call(as: "alice") { try await $0.list("todoitem") }
            #expect(rows.map(\.id) == [row.id] && rows.first?.values["complete"] == .boolean(true))
            let tasks = try await daemon.call(as: "alice") { try await $0.tasks() }
            #expect(tasks.map(\.task) == ["milk"] && tasks.first?.isCompleted == true)
            try await daemon.call(as: "alice") { try await $0.delete("todoitem", row.id) }
            #expect(try await daemon.call(as: "alice") { try await $0.list("todoitem") }.isEmpty)
            #expect(await daemon.stop(second) == 0)
        }
    }

    @Test("SIGHUP applies a valid file completely, and an invalid one leaves the old one in force") func reload()
        async throws
    {
        try await Daemon.scene { (daemon: Daemon) async throws in
            let (process, notify) = try await daemon.start()
            func mayList() async throws -> Bool {
                do {
                    _ = try await daemon.call(as: "alice", scopes: "other") { try await $0.list("todoitem") }
                    return true
                } catch let error as TablesError where error.status == 403 {
                    return false
                }
            }
            #expect(try await !mayList())
            try daemon.configure(scopes: "ignored")
            process.signal(SIGHUP)
            #expect(await Daemon.inThread { notify.receives("READY=1") })
            #expect(try await mayList())
            try daemon.configure(more: "nonsense: 1")
            process.signal(SIGHUP)
            #expect(await Daemon.inThread { notify.receives("READY=1") })
            #expect(try await mayList())
            #expect(process.errors().contains("nonsense"))
            #expect(await daemon.stop(process) == 0)
        }
    }

    @Test("a port in use exits with 78 and names the process") func portTaken() async throws {
        try await Daemon.scene { (daemon: Daemon) async throws in
            let holder = try ListeningSocket(.tcp(host: "::1", port: daemon.port))
            defer { holder.close() }
            let outcome = try await daemon.run(daemon.arguments)
            #expect(outcome.status == 78)
            #expect(
                outcome.errors.contains("tasksd: error: cannot listen on [::1]:\(daemon.port): process \(getpid())")
            )
        }
    }

    @Test("a state directory that others can read exits with 78") func openDirectory() async throws {
        try await Daemon.scene { (daemon: Daemon) async throws in
            try FileManager.default.createDirectory(
                atPath: daemon.folder.path("state"),
                withIntermediateDirectories: false,
                attributes: [.posixPermissions: 0o755]
            )
            let outcome = try await daemon.run(daemon.arguments)
            #expect(outcome.status == 78 && outcome.errors.contains("0700"))
        }
    }

    @Test("a file that is no database exits with 78 and is left unchanged") func noDatabase() async throws {
        try await Daemon.scene { (daemon: Daemon) async throws in
            let (process, _) = try await daemon.start()
            #expect(await daemon.stop(process) == 0)
            let path = daemon.folder.path("state/tasks.sqlite")
            let noise = Data(repeating: 1, count: 4096)
            try FileManager.default.removeItem(atPath: path)
            _ = FileManager.default.createFile(atPath: path, contents: noise, attributes: [.posixPermissions: 0o600])
            let outcome = try await daemon.run(daemon.arguments)
            #expect(outcome.status == 78)
            #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == noise)
        }
    }

    @Test("a database of a version before 0.1.0 exits with 78 and is left unchanged, with its log") func olderDatabase()
        async throws
    {
        try await Daemon.scene { (daemon: Daemon) async throws in
            let (process, _) = try await daemon.start()
            #expect(await daemon.stop(process) == 0)
            let files = ["", "-wal"].map { daemon.folder.path("state/tasks.sqlite") + $0 }
            let database = try DatabaseQueue(path: files[0])
            try await database.write { try $0.execute(sql: "UPDATE schema_version SET version = 3") }
            // A killed process would leave its files in this state.
            let before = try files.map { try Data(contentsOf: URL(fileURLWithPath: $0)) }
            try database.close()
            for (file, bytes) in zip(files, before) {
                try bytes.write(to: URL(fileURLWithPath: file))
                chmod(file, 0o600)
            }
            let outcome = try await daemon.run(daemon.arguments)
            #expect(outcome.status == 78 && outcome.errors.contains("before 0.1.0 (schema 3)"), "\(outcome.errors)")
            #expect(try files.map { try Data(contentsOf: URL(fileURLWithPath: $0)) } == before)
        }
    }

    @Test("--check prints every problem with its line, and --schema prints a schema") func check() async throws {
        try await Daemon.scene { (daemon: Daemon) async throws in
            let good = try await daemon.run(["--check", "--config", daemon.config])
            #expect(good.output == "OK: \(daemon.config), 1 table, 0 warnings\n", "\(good)")
            #expect(good.status == 0)
            try daemon.configure(more: "protekt: {}\nbehindProxy: 7")
            let bad = try await daemon.run(["--check", "--config", daemon.config])
            #expect(bad.status == 78 && bad.errors.contains("\(daemon.config):6: "))
            #expect(bad.errors.contains("protekt") && bad.errors.contains("behindProxy"))
            let absent = try await daemon.run(["--check", "--config", "/nonexistent.yaml"])
            #expect(absent.status == 78)
            let schema = try await daemon.run(["--schema"])
            #expect(schema.status == 0 && (try? StrictJSON.parse(Array(schema.output.utf8))["title"]) == "tasksd.yaml")
        }
    }

    @Test("--help and --version print to stdout, and a wrong option exits with 64 and prints to stderr") func usage()
        async throws
    {
        try await Daemon.scene { (daemon: Daemon) async throws in
            let help = try await daemon.run(["--help"])
            #expect(help.status == 0 && help.output.contains("--state-directory") && help.errors.isEmpty)
            #expect(try await daemon.run(["--version"]).output.split(separator: ".").count == 3)
            let wrong = try await daemon.run(["--nonsense"])
            #expect(wrong.status == 64 && wrong.output.isEmpty && wrong.errors.hasPrefix("tasksd: error: "))
            #expect(try await daemon.run(["--generate-completion-script", "bash"]).output.contains("tasksd"))
        }
    }
}
