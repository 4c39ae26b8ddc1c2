import Foundation
import GRDB
import Moments
import OAuth
import Storage
import Synchronization
import TestSupport
import Testing

@testable import AuthorityStore

/// Tests of `tokenbroker backup` and `tokenbroker restore`.
@Suite(.timeLimit(.minutes(5)))
struct BackupTests {
    private func stop(_ daemon: RunningProgram) {
        daemon.signal(SIGTERM)
        #expect(daemon.wait() == 0, "\(daemon.errors())")
    }

    private func restore(_ file: String, _ machine: Machine) throws -> BuiltProgram.Outcome {
        try machine.tokenbroker(["restore", file, "--state-directory", machine.state])
    }

    /// Removes the seal, which is the last line, from a copy of a backup.
    private func unseal(_ path: String) throws {
        let bytes = try contents(path)
        let end = try #require(bytes.dropLast().range(of: Data("tokenbroker-backup ".utf8), options: .backwards))
        try bytes[..<end.lowerBound].write(to: URL(fileURLWithPath: path))
    }

    /// Seals a file with a machine's authority key, as the daemon seals its backups.
    private func seal(_ path: String, _ machine: Machine) throws {
        let file = machine.state + "/authority-key"
        let key = try KeyFile.parse(contents(file), path: file)
        try BackupSeal(AuthorityStore.Options(directory: machine.state, key: key, clock: .system)).seal(path)
    }

    private func contents(_ path: String) throws -> Data { try Data(contentsOf: URL(fileURLWithPath: path)) }

    @Test("a backup under load contains every acknowledged user, and no session survives the restore")
    func underLoad() throws {
        let machine = try Machine(isDurable: true)
        let daemon = try machine.startBroker()
        let signedUp = Mutex<[Person]>([])
        let isOver = Mutex(false)
        let another = DispatchSemaphore(value: 0)
        let clients = DispatchGroup()
        for _ in 0..<3 {
            DispatchQueue.global().async(group: clients) {
                while !isOver.withLock({ $0 }) {
                    let person = Person.random()
                    do {
                        try person.signUp(machine.connect(), on: machine)
                        signedUp.withLock { $0.append(person) }
                        another.signal()
                    } catch {
                        return
                    }
                }
            }
        }
        try Person.random().signUp(machine.connect(), on: machine)
        var backups: [(file: String, people: [Person])] = []
        for round in 1...2 {
            for _ in 0..<4 { #expect(another.wait(timeout: .now() + .seconds(60)) == .success, "round \(round)") }
            let before = signedUp.withLock { $0 }
            let file = machine.folder.path("backup-\(round)")
            let outcome = try machine.tokenbroker(["backup", file, "--json"])
            #expect(outcome.status == 0, "\(outcome.errors)")
            let answer = try StrictJSON.parse(Array(outcome.output.utf8))
            #expect(answer["bytes"]?.int == Int64(try contents(file).count))
            let mode = try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? Int
            #expect(mode == 0o600)
            backups.append((file, before))
        }
        isOver.withLock { $0 = true }
        let left = try FileManager.default.contentsOfDirectory(atPath: machine.state + "/backups")
        #expect(left.isEmpty, "the daemon's own copies were removed")
        #expect(clients.wait(timeout: .now() + .seconds(60)) == .success)
        let running = try restore(backups[1].file, machine)
        #expect(running.status == 75 && running.errors.contains("Process \(daemon.pid)"), "\(running.errors)")
        stop(daemon)

        let outcome = try restore(backups[1].file, machine)
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(outcome.output.contains("authority.sqlite.before-restore"), "\(outcome.output)")
        let again = try machine.startBroker()
        let connection = try machine.connect()
        #expect(try connection.refusal("token.acquire", ["scopes": ["tasks.read"], "prompt": "none"]).code == 1001)
        #expect(try connection.call("account.list")["accounts"]?.array?.isEmpty == true)
        for person in backups[1].people { #expect(try person.signIn(connection) == "accepted") }
        stop(again)
    }

    @Test("a backup overwrites no existing file and leaves no file when it fails") func existing() throws {
        let machine = try Machine(isDurable: true)
        let daemon = try machine.startBroker()
        let file = machine.folder.path("there")
        try Data("mine".utf8).write(to: URL(fileURLWithPath: file))
        let outcome = try machine.tokenbroker(["backup", file])
        #expect(outcome.status == 1 && outcome.errors.contains("already exists"), "\(outcome.errors)")
        #expect(try contents(file) == Data("mine".utf8))
        let nowhere = try machine.tokenbroker(["backup", machine.folder.path("no/such/folder")])
        #expect(
            nowhere.status == 1 && nowhere.errors.hasPrefix("tokenbroker: error: Cannot create"),
            "\(nowhere.errors)"
        )
        stop(daemon)
        let gone = machine.folder.path("gone")
        #expect(try machine.tokenbroker(["backup", gone]).status == 69)
        #expect(!FileManager.default.fileExists(atPath: gone), "a backup that failed leaves no file")
    }

    @Test("a restore with another key, of a newer version or of no backup is refused with 78 and changes nothing")
    func refused() throws {
        let machine = try Machine(isDurable: true)
        let person = Person.random()
        let daemon = try machine.startBroker()
        try person.signUp(machine.connect(), on: machine)
        let file = machine.folder.path("backup")
        #expect(try machine.tokenbroker(["backup", file]).status == 0)
        stop(daemon)
        let before = try contents(machine.state + "/authority.sqlite")
        let newer = machine.folder.path("newer")
        try FileManager.default.copyItem(atPath: file, toPath: newer)
        var changed = try contents(file)
        changed[changed.count / 2] ^= 1
        try changed.write(to: URL(fileURLWithPath: newer))
        let changedOutcome = try restore(newer, machine)
        #expect(
            changedOutcome.status == 78 && changedOutcome.errors.contains("\(newer) was changed after it was created"),
            "\(changedOutcome.errors)"
        )
        try contents(file).write(to: URL(fileURLWithPath: newer))
        try unseal(newer)
        let unsealed = try restore(newer, machine)
        #expect(unsealed.status == 78 && unsealed.errors.contains("\(newer) has no seal"), "\(unsealed.errors)")
        let german = try machine.tokenbroker(
            ["restore", newer, "--state-directory", machine.state],
            environment: ["LC_ALL": "", "LC_MESSAGES": "de_DE.UTF-8"]
        )
        #expect(
            german.status == 78 && german.errors.hasPrefix("tokenbroker: error: \(newer) hat kein Siegel. "),
            "\(german.errors)"
        )
        let queue = try DatabaseQueue(path: newer)
        try queue.write { db in try db.execute(sql: "UPDATE schema_version SET version = version + 1") }
        try queue.close()
        try seal(newer, machine)
        let newerOutcome = try restore(newer, machine)
        #expect(newerOutcome.status == 78 && newerOutcome.errors.contains("newer version"), "\(newerOutcome.errors)")
        let text = machine.folder.path("etc/tokenbrokerd.yaml")
        #expect(try restore(text, machine).status == 78)
        #expect(try restore(machine.folder.path("nothing"), machine).status == 78)
        let key = machine.state + "/authority-key"
        let right = try contents(key)
        try Data(repeating: 7, count: 32).write(to: URL(fileURLWithPath: key))
        let wrong = try restore(file, machine)
        #expect(wrong.status == 78 && wrong.errors.contains("is encrypted with key"), "\(wrong.errors)")
        unlink(key)
        let missing = try restore(file, machine)
        #expect(missing.status == 78 && missing.errors.contains("Restore the key."), "\(missing.errors)")
        let program = try BuiltProgram("tokenbrokerd").run(
            ["--restore", file, "--state-directory", machine.state],
            environment: machine.environment
        )
        #expect(program.output.hasPrefix("failed\t{\"key\":\"failure.start.keyMissing\""), "\(program.output)")
        try right.write(to: URL(fileURLWithPath: key))
        chmod(key, 0o600)
        #expect(try contents(machine.state + "/authority.sqlite") == before)
        let again = try machine.startBroker()
        #expect(try person.signIn(machine.connect()) == "accepted")
        stop(again)
    }

    @Test("a backup creates the store on a new machine that has the key") func elsewhere() throws {
        let machine = try Machine(isDurable: true)
        let person = Person.random()
        let daemon = try machine.startBroker()
        try person.signUp(machine.connect(), on: machine)
        let file = machine.folder.path("backup")
        #expect(try machine.tokenbroker(["backup", file]).status == 0)
        stop(daemon)
        let other = try Machine(isDurable: true)
        try FileManager.default.createDirectory(
            atPath: other.state,
            withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700]
        )
        let key = other.state + "/authority-key"
        try FileManager.default.copyItem(atPath: machine.state + "/authority-key", toPath: key)
        let outcome = try other.tokenbroker(["restore", file, "--state-directory", other.state, "--json"])
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(try StrictJSON.parse(Array(outcome.output.utf8))["users"]?.int == 1)
        let again = try other.startBroker()
        #expect(try person.signIn(other.connect()) == "accepted")
        stop(again)
    }
}
