import Logging
import Moments
import ProgramConfiguration
import Tables
import TablesStore

struct Seeding {
    let store: TablesStore
    let clock: MomentClock

    /// Inserts the configured initial rows, but only into new tables.
    func plant(_ configuration: TasksdConfiguration, logger: Logger) async throws {
        for table in configuration.tables {
            let seed = configuration.seeds.first { $0.table == table.name }
            let rows = try (seed?.rows ?? []).map { row in
                let draft = try RowDraft.insert(row.members, into: table) { source in
                    switch source {
                    case .oid: row.oid.map { .string($0) } ?? .null
                    case .now: .date(clock.now.wall)
                    case .uuid: .string(RowID.random().text)
                    }
                }
                return (owner: row.owner, draft: draft)
            }
            let count = try await store.seed(rows, into: table)
            if count > 0 {
                logger.info(
                    "initial rows inserted",
                    metadata: ["table": "\(table.name)", "count": "\(count)"]
                )
            }
        }
    }
}
