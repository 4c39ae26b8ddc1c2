import DurableSQLite
import Storage
import Tables
import TestSupport
import Testing

@testable import TablesStore

@Suite(.timeLimit(.minutes(1)), .indexedStatements)
struct SchemaTests {
    /// The fingerprints of the migration steps, oldest first.
    ///
    /// Each new step adds a fingerprint. After the release of 0.1.0, existing fingerprints must not change.
    private static let steps = ["082b2f4e25390a97"]

    @Test("no migration step was edited, moved or removed") func appendOnly() {
        #expect(TablesSchema.steps.map(\.fingerprint) == Self.steps)
    }

    @Test("every table is STRICT") func strict() async throws {
        let folder = try TemporaryFolder()
        let store = try await TablesStore.open(
            in: StateDirectory(folder.path("state")),
            definitions: [.todoitem],
            clock: TestClock().clock
        )
        #expect(try store.database.lenientTables() == [])
    }
}
