import DurableSQLite
import Storage
import Tables
import TestSupport
import Testing

@testable import TablesStore

@Suite(.timeLimit(.minutes(1)), .indexedStatements)
struct SchemaTests {
    /// The fingerprints of the steps that were shipped, oldest first: a new step adds one, and none ever changes.
    private static let shipped = [
        "d4c9650af703e312",
        "3eba6aadb1bff34d",
    ]

    @Test("no step of the schema that was shipped was edited, moved or taken away") func appendOnly() {
        #expect(TablesSchema.migrations.map(\.fingerprint) == Self.shipped)
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
