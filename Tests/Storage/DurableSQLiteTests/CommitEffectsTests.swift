import GRDB
import Synchronization
import Testing

@testable import DurableSQLite

@Suite(.timeLimit(.minutes(1)))
struct CommitEffectsTests {
    private struct Failure: Error {}

    let notes: Notes
    private let ran = Effects()

    init() throws {
        notes = try Notes()
    }

    /// Records the names of the effects that have run.
    private final class Effects: Sendable {
        private let list = Mutex<[String]>([])
        var names: [String] { list.withLock { $0 } }
        func add(_ name: String) { list.withLock { $0.append(name) } }
    }

    @Test("effects run in order after the commit and before the caller has the result") func committed() async throws {
        let database = try notes.open()
        try await database.write { [ran] db in
            db.afterCommit { ran.add("first") }
            db.afterCommit { ran.add("second") }
            #expect(ran.names.isEmpty)
        }
        #expect(ran.names == ["first", "second"])
    }

    @Test("the effect of a change that is undone does not run") func undone() async throws {
        let database = try notes.open()
        await #expect(throws: (any Error).self) {
            try await database.write { [ran] db in
                db.afterCommit { ran.add("undone") }
                throw Failure()
            }
        }
        try await database.write { [ran] db in db.afterCommit { ran.add("later") } }
        #expect(ran.names == ["later"])
    }

    @Test("a connection keeps its compiled DELETE statements after a change with an effect") func compiled()
        async throws
    {
        let database = try notes.open()
        func statement() async throws -> ObjectIdentifier {
            try await database.write { db in
                db.afterCommit {}
                try db.run("DELETE FROM notes WHERE id = :id", ["id": "none"])
                return ObjectIdentifier(try db.cachedStatement(sql: "DELETE FROM notes WHERE id = :id"))
            }
        }
        let first = try await statement()
        #expect(try await statement() == first)
    }
}
