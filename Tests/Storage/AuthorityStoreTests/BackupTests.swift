import DurableSQLite
import FlowModel
import Foundation
import GRDB
import Moments
import OAuth
import Storage
import Synchronization
import TestSupport
import Testing

@testable import AuthorityStore

@Suite(
    .timeLimit(.minutes(2)),
    .indexedStatements(besides: ["DELETE FROM sessions": "a restore ends all sessions, each by its trigger"])
)
struct BackupTests {
    let fixture: StoreFixture
    var store: AuthorityStore { fixture.store }

    init() throws {
        fixture = try StoreFixture()
    }

    private func options(_ name: String, key: UInt8 = 1) -> AuthorityStore.Options {
        AuthorityStore.Options(
            directory: fixture.folder.path(name),
            key: Secret(bytes: [UInt8](repeating: key, count: 32)),
            clock: fixture.clock.clock
        )
    }

    private func restore(
        _ path: String,
        to name: String,
        key: UInt8 = 1
    ) async throws -> AuthorityStore.Restore.Outcome {
        let file = open(path, O_RDONLY)
        try #require(file >= 0)
        defer { close(file) }
        return try await AuthorityStore.Restore.run(
            from: file,
            path: path,
            options(name, key: key),
            removing: ["cache.sqlite"]
        )
    }

    /// Changes the database of a backup and seals it again, as the holder of the authority key can do.
    private func reseal(_ path: String, _ change: @Sendable (Database) throws -> Void) async throws {
        try unseal(path)
        let queue = try DatabaseQueue(path: path)
        try await queue.write(change)
        try queue.close()
        try seal(path)
    }

    private func seal(_ path: String) throws { try BackupSeal(options("other")).seal(path) }

    private func unseal(_ path: String) throws {
        let file = try FileHandle(forUpdating: URL(fileURLWithPath: path))
        try file.truncate(atOffset: try file.seekToEnd() - UInt64(BackupSeal.length))
        try file.close()
    }

    private func files(_ name: String) -> Set<String> {
        Set((try? FileManager.default.contentsOfDirectory(atPath: fixture.folder.path(name))) ?? [])
    }

    private func mode(_ path: String) throws -> Int {
        try #require(try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int)
    }

    @Test("everything acknowledged before is in the backup, despite concurrent writes") func underLoad() async throws {
        let acknowledged = Counter()
        try await withThrowingTaskGroup { group in
            for writer in 0..<4 {
                group.addTask { [store, fixture] in
                    for number in 0... {
                        guard !Task.isCancelled else { return }
                        let user = fixture.user("u-\(writer)-\(number)", "\(writer)-\(number)@example.org")
                        try await store.users.add(user, events: [fixture.event()])
                        acknowledged.add(user.id.oid)
                    }
                }
            }
            for round in 0..<4 {
                try await waitUntil("the data is acknowledged") { acknowledged.all.count >= round * 40 }
                let before = acknowledged.all
                let backup = try await store.backup()
                #expect(try mode(backup.path) == 0o600)
                let name = "restored-\(round)"
                let outcome = try await restore(backup.path, to: name)
                #expect(outcome.users >= before.count)
                let copy = try AuthorityStore.open(options(name))
                for id in before { #expect(try await copy.users.get(UserID(oid: id)) != nil) }
                #expect(try await copy.audit.missing() == 0)
                try copy.close()
            }
            group.cancelAll()
        }
        #expect(try await store.check().isEmpty)
    }

    @Test("no other user can read a byte of a backup at any time") func isPrivate() async throws {
        for number in 0..<200 { try await store.users.add(fixture.user("u\(number)", "\(number)@example.org")) }
        let old = umask(0)
        defer { umask(old) }
        let folder = fixture.folder.path("state/backups")
        let watch = Task.detached {
            var modes: Set<Int> = []
            while !Task.isCancelled {
                for name in (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? [] {
                    let attributes = try? FileManager.default.attributesOfItem(atPath: "\(folder)/\(name)")
                    if let mode = attributes?[.posixPermissions] as? Int { modes.insert(mode) }
                }
            }
            return modes
        }
        for _ in 0..<6 { _ = try await store.backup() }
        watch.cancel()
        #expect(await watch.value == [0o600])
        #expect(try mode(folder) == 0o700)
        #expect(files("state/backups").count == AuthorityStore.greatestNumberOfBackups)
    }

    @Test("a restore removes all sessions, families, flows and mails, and preserves users") func dead() async throws {
        let user = fixture.user("u", "ada@example.org")
        try await fixture.signedIn(user)
        try await store.grants.issue(
            TokenIssue(
                source: .authentication(requestID: "r"),
                owner: StoreFixture.owner,
                user: user.id,
                expectedEpoch: try await store.epoch(),
                product: .family(fixture.family("fam", user.id))
            )
        )
        _ = try await store.flows.open(fixture.flow("g"))
        let session = try #require(try await store.sessions.live(owner: StoreFixture.owner).first)
        let (remembered, now) = (store.remembered, fixture.clock.now)
        try await store.core.database.write { db in
            for proof in session.proofs {
                try remembered.remember(db, proof, for: .seconds(3600), like: session, at: now)
            }
        }
        #expect(try await !store.remembered.live(owner: StoreFixture.owner).isEmpty)
        let outcome = try await restore(try await store.backup().path, to: "other")
        #expect(outcome.users == 1)
        let copy = try AuthorityStore.open(options("other"))
        #expect(try await copy.users.find(signInName: "ada@example.org")?.passwordHash == user.passwordHash)
        #expect(try await copy.sessions.live(owner: StoreFixture.owner).isEmpty)
        #expect(try await copy.remembered.live(owner: StoreFixture.owner).isEmpty)
        #expect(try await copy.flows.list(owner: StoreFixture.owner).isEmpty)
        #expect(try await copy.outbox.take(limit: 9, lease: .seconds(1)).isEmpty)
        #expect(try await copy.families.rotate(fixture.presentation("fam", 0)) == .refused(.revoked))
        let last = try await copy.audit.all(since: outcome.lastEvent, limit: 9).first
        #expect(last?.event == "store.restored")
        #expect(last?.detail["sessions"] == "1" && last?.detail["families"] == "1")
    }

    @Test(
        "a backup with another key, schema, version or program, or with a fault, is rejected and changes nothing"
    )
    func refused() async throws {
        let backup = try await store.backup()
        let newer = fixture.folder.path("newer.sqlite")
        try FileManager.default.copyItem(atPath: backup.path, toPath: newer)
        try await reseal(newer) { db in
            try db.execute(sql: "/* test */ UPDATE schema_version SET version = version + 1")
        }
        let older = fixture.folder.path("older.sqlite")
        try FileManager.default.copyItem(atPath: backup.path, toPath: older)
        try await reseal(older) { db in try db.execute(sql: "/* test */ UPDATE schema_version SET version = 20") }
        let foreign = fixture.folder.path("foreign.sqlite")
        let queue = try DatabaseQueue(path: foreign)
        try await queue.write { db in try db.execute(sql: "CREATE TABLE x (y)") }
        try queue.close()
        let cut = fixture.folder.path("cut.sqlite")
        try Data(contentsOf: URL(fileURLWithPath: backup.path)).prefix(12_288).write(to: URL(fileURLWithPath: cut))
        let noise = fixture.folder.path("noise.sqlite")
        try Data((0..<9000).map { _ in UInt8.random(in: 0...255) }).write(to: URL(fileURLWithPath: noise))
        for path in [foreign, cut, noise] { try seal(path) }
        let cases: [(String, UInt8, Set<StoreError.Code>)] = [
            (backup.path, 2, [.wrongKey]), (newer, 1, [.newerSchema]), (older, 1, [.olderSchema]),
            (foreign, 1, [.unreadable]),
            (cut, 1, [.corrupt]), (noise, 1, [.corrupt, .unreadable]),
        ]
        let there = try AuthorityStore.open(options("other"))
        try await there.users.add(fixture.user("old", "old@example.org"))
        try there.close()
        let before = files("other")
        for (path, key, codes) in cases {
            let error = await #expect(throws: StoreError.self) {
                try await restore(path, to: "other", key: key)
            }
            #expect(error.map { codes.contains($0.code) } == true, "\(path): \(String(describing: error))")
            #expect(error?.message.contains(path) == true, "\(String(describing: error))")
            #expect(files("other").subtracting(["authority.sqlite-wal", "authority.sqlite-shm"]).isSubset(of: before))
        }
        let still = try AuthorityStore.open(options("other"))
        #expect(try await still.users.find(signInName: "old@example.org") != nil)
    }

    @Test(
        "a backup with one flipped bit in a sealed value is rejected, and changes nothing",
        arguments: [("users", "profile"), ("signing_keys", "secret")]
    )
    func flipped(_ table: String, _ column: String) async throws {
        try await store.users.add(fixture.user("u", "ada@example.org"))
        let key = SigningKeyRow(
            kid: "k",
            alg: "ES256",
            secret: Secret("private"),
            jwk: "{}",
            state: "active",
            publishedAt: 1,
            activeFrom: 2
        )
        try await store.keys.replace([key], expectedEpoch: try await store.epoch())
        let backup = try await store.backup()
        try await reseal(backup.path) { db in
            var bytes = try #require(try Data.fetchOne(db, sql: "/* test */ SELECT \(column) FROM \(table)"))
            bytes[bytes.count / 2] ^= 1
            try db.execute(sql: "/* test */ UPDATE \(table) SET \(column) = ?", arguments: [bytes])
        }
        let there = try AuthorityStore.open(options("other"))
        try await there.users.add(fixture.user("old", "old@example.org"))
        try there.close()
        let error = await #expect(throws: StoreError.self) {
            try await restore(backup.path, to: "other")
        }
        #expect(error?.code == .corrupt)
        #expect(
            error?.message.contains("\(backup.path) is damaged: \(column) of row") == true,
            "\(error?.message ?? "")"
        )
        let still = try AuthorityStore.open(options("other"))
        #expect(try await still.users.find(signInName: "old@example.org") != nil)
        #expect(!files("other").contains("authority.sqlite.before-restore"))
    }

    @Test("files that an earlier restore set aside prevent another restore, even a log alone") func leftAside()
        async throws
    {
        let backup = try await store.backup()
        let there = try AuthorityStore.open(options("other"))
        try await there.users.add(fixture.user("old", "old@example.org"))
        try there.close()
        let log = options("other").directory + "/authority.sqlite.before-restore-wal"
        try Data().write(to: URL(fileURLWithPath: log))
        let error = await #expect(throws: StoreError.self) { try await restore(backup.path, to: "other") }
        #expect(error?.code == .conflict && error?.message.contains(log) == true)
        #expect(!files("other").contains("authority.sqlite.restored"))
        let still = try AuthorityStore.open(options("other"))
        #expect(try await still.users.find(signInName: "old@example.org") != nil)
    }

    /// Writes a changed copy of a backup, and returns the path of the copy.
    private func changed(_ path: String, _ change: (inout Data) -> Void) throws -> String {
        var bytes = try Data(contentsOf: URL(fileURLWithPath: path))
        change(&bytes)
        let other = fixture.folder.path("changed.sqlite")
        try bytes.write(to: URL(fileURLWithPath: other))
        return other
    }

    @Test("a backup that was changed at any position is rejected") func tampered() async throws {
        try await store.users.add(fixture.user("u", "ada@example.org"))
        let path = try await store.backup().path
        let length = try Data(contentsOf: URL(fileURLWithPath: path)).count
        // These positions are in the header, in a page in the middle, in the last page and in the seal.
        for place in [40, length / 2, length - BackupSeal.length - 1, length - 2] {
            let other = try changed(path) { $0[place] ^= 1 }
            let error = await #expect(throws: StoreError.self) { try await restore(other, to: "other") }
            #expect(error?.code == .corrupt, "\(place)")
            #expect(error?.message.hasPrefix("\(other) was changed after it was created") == true)
        }
        let longer = try changed(path) { $0.insert(0, at: length - BackupSeal.length) }
        let error = await #expect(throws: StoreError.self) { try await restore(longer, to: "other") }
        #expect(error?.code == .corrupt)
        #expect(error?.message.hasPrefix("\(longer) was changed after it was created") == true)
        #expect(files("other").isEmpty)
        #expect(try await restore(path, to: "other").users == 1)
    }

    @Test("a backup in a newer format is rejected with that reason") func newerFormat() async throws {
        let path = try await store.backup().path
        let newer = try changed(path) { $0[$0.count - BackupSeal.length + "tokenbroker-backup ".utf8.count] += 1 }
        let error = await #expect(throws: StoreError.self) { try await restore(newer, to: "other") }
        #expect(error?.code == .newerSchema && error?.message.contains("newer version") == true)
    }

    @Test("a backup without a seal is rejected") func unsealed() async throws {
        try await store.users.add(fixture.user("u", "ada@example.org"))
        let path = try await store.backup().path
        try unseal(path)
        let error = await #expect(throws: StoreError.self) { try await restore(path, to: "other") }
        #expect(error?.message.hasPrefix("\(path) has no seal") == true)
        #expect(error?.code == .unreadable && files("other").isEmpty)
    }

    @Test("the previous store is preserved beside the new one, once") func setAside() async throws {
        let there = try AuthorityStore.open(options("other"))
        try await there.users.add(fixture.user("old", "old@example.org"))
        try there.close()
        for name in ["cache.sqlite", "cache.sqlite-wal"] {
            try Data("x".utf8).write(to: fixture.folder.url.appendingPathComponent("other/\(name)"))
        }
        let backup = try await store.backup()
        let outcome = try await restore(backup.path, to: "other")
        let old = try #require(outcome.setAside)
        #expect(try mode(old) == 0o600)
        #expect(!files("other").contains { $0.hasPrefix("cache.sqlite") })
        let error = await #expect(throws: StoreError.self) { try await restore(backup.path, to: "other") }
        #expect(error?.code == .conflict && error?.message.contains(old) == true)
        let unsealed = await #expect(throws: StoreError.self) { try await restore(old, to: "back") }
        #expect(unsealed?.code == .unreadable)
        // Moving the preserved store back into place undoes the restore.
        try FileManager.default.moveItem(atPath: old, toPath: fixture.folder.path("back/authority.sqlite"))
        let back = try AuthorityStore.open(options("back"))
        #expect(try await back.users.find(signInName: "old@example.org") != nil)
    }

    @Test("an interrupted restore is completed at the next start, and the old log is moved away")
    func interrupted() async throws {
        let there = try AuthorityStore.open(options("other"))
        try await there.users.add(fixture.user("old", "old@example.org"))
        // A killed daemon leaves the database in this state, together with its log.
        for suffix in ["", "-wal"] {
            try FileManager.default.copyItem(
                atPath: fixture.folder.path("other/authority.sqlite\(suffix)"),
                toPath: fixture.folder.path("kept\(suffix)")
            )
        }
        try there.close()
        for suffix in ["", "-wal"] {
            let path = fixture.folder.path("other/authority.sqlite\(suffix)")
            unlink(path)
            try FileManager.default.copyItem(atPath: fixture.folder.path("kept\(suffix)"), toPath: path)
        }
        _ = try await restore(try await store.backup().path, to: "draft")
        try FileManager.default.moveItem(
            atPath: fixture.folder.path("draft/authority.sqlite"),
            toPath: fixture.folder.path("other/authority.sqlite.restored")
        )
        let directory = try StateDirectory(fixture.folder.path("other"))
        try AuthorityStore.Restore.finish(in: directory, removing: ["cache.sqlite"])
        try AuthorityStore.Restore.finish(in: directory, removing: ["cache.sqlite"])
        #expect(files("other").contains("authority.sqlite.before-restore-wal"))
        let restored = try AuthorityStore.open(options("other"))
        #expect(try await restored.users.list(limit: 9).isEmpty)
        #expect(try await restored.audit.all(limit: 9).map(\.event) == ["store.restored"])
    }
}

/// Collects the ids of acknowledged writes.
private final class Counter: Sendable {
    private let ids = Mutex<Set<String>>([])

    var all: Set<String> { ids.withLock { $0 } }

    func add(_ id: String) { ids.withLock { _ = $0.insert(id) } }
}
