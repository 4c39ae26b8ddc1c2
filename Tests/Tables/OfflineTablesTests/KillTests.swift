import Foundation
import OfflineTables
import Storage
import Tables
import TablesClient
import TestSupport
import Testing

/// Kills a syncing process with SIGKILL at its writes, before and after the commit, and then checks its files.
///
/// With `TOKENBROKER_EVERY_WRITE=1`, a process is killed at every write, otherwise only at every fourth write.
@Suite("A process that the system kills", .timeLimit(.minutes(10)))
struct KillTests {
    @Test("keeps row and queue consistent, and loses nothing", arguments: [false, true])
    func everywhere(_ committed: Bool) async throws {
        let whole = try TemporaryFolder(isDurable: true)
        defer { withExtendedLifetime(whole) {} }
        let count = try await SyncLife(whole.url.path).writes()
        // If four operations are pushed one at a time, there is one write before them and one after each of them. The
        // pull makes further writes.
        #expect(count > 6)
        let isEvery = ProcessInfo.processInfo.environment["TOKENBROKER_EVERY_WRITE"] == "1"
        for write in stride(from: committed ? 2 : 1, through: count, by: isEvery ? 1 : 4) {
            let folder = try TemporaryFolder(isDurable: true)
            defer { withExtendedLifetime(folder) {} }
            await #expect(processExitsWith: .signal(SIGKILL)) {
                [home = folder.url.path as String, write = write as Int, committed = committed as Bool] in
                try await SyncLife(home).end(at: write, committed: committed)
            }
            try await SyncLife(folder.url.path).check("killed at write \(write)")
        }
    }

    @Test("in the middle of a local change keeps both row and operation, or neither", arguments: [false, true])
    func local(_ committed: Bool) async throws {
        let folder = try TemporaryFolder(isDurable: true)
        defer { withExtendedLifetime(folder) {} }
        await #expect(processExitsWith: .signal(SIGKILL)) {
            [home = folder.url.path as String, committed = committed as Bool] in
            let store = BreakableStore(try SyncLife(home).store(), ending: .killing)
            store.breakAt(write: 1, committed: committed)
            try await SyncContext(store, tables: [.todoitem]).table("todoitem").insert(["text": "a"])
        }
        let context = SyncContext(try SyncLife(folder.url.path).store(), tables: [try .todoitem])
        let rows = try await context.table("todoitem").read().rows.count
        #expect(rows == (committed ? 1 : 0))
        #expect(try await context.pendingOperationsCount() == rows)
    }
}

/// A server and a client that syncs with the server, with the files of both in one directory.
struct SyncLife {
    private let home: String

    init(_ home: String) {
        self.home = home
    }

    func store() throws -> SQLiteSyncStore {
        try SQLiteSyncStore(StateDirectory("\(home)/store"), key: StoreFolder.key, clock: TestClock().clock)
    }

    /// Syncs without an interruption, and returns the number of writes.
    func writes() async throws -> Int {
        let store = BreakableStore(try store())
        try await sync(store) { store.breakAt(write: .max, committed: true) }
        return store.writes
    }

    /// Syncs, and kills this process at the chosen write.
    func end(at write: Int, committed: Bool) async throws {
        let store = BreakableStore(try store(), ending: .killing)
        try await sync(store) { store.breakAt(write: write, committed: committed) }
    }

    /// Syncs a client that has operations of every kind in its queue, while the server has changes from another device.
    private func sync(_ store: BreakableStore, _ begin: () -> Void) async throws {
        try await TestServer.run(in: home) { server in
            try await withDevice(server) { one in
                try await withDevice(server, store) {
                    $0.conflicts = .fieldByField
                    // The number of writes must not depend on the timing of the responses.
                    $0.operationsAtOnce = 1
                } _: { two in
                    try await CrashTests.prepare(one, two)
                    begin()
                    _ = try? await two.pull()
                }
            }
        }
    }

    /// Completes the sync of the killed process, and checks the rows of both devices.
    func check(_ comment: Comment) async throws {
        try await TestServer.run(in: home) { server in
            try await withDevice(server) { one in
                let store = try store()
                try await CrashTests.check(server, one, store, comment)
                try store.close()
            }
        }
    }
}
