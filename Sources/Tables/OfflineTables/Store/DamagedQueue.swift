import DurableSQLite
import Foundation
import GRDB
import Tables
import TablesClient

/// Reads the parts of the queue in a damaged database that are still readable.
struct DamagedQueue {
    let path: String
    let sealing: Sealing?

    /// Returns the readable edits, oldest first, and the number of unreadable edits.
    func edits() -> (edits: [SavedEdit], lost: Int) {
        var configuration = Configuration()
        configuration.readonly = true
        guard let queue = try? DatabaseQueue(path: path, configuration: configuration) else { return ([], 0) }
        defer { try? queue.close() }
        return queue.inDatabase { db in
            let transaction = SQLiteTransaction(db: db, sealing: sealing)
            let (numbers, places) = places(db)
            let edits = numbers.sorted().compactMap { edit($0, places[$0], transaction) }
            return (edits, numbers.count - edits.count)
        }
    }

    private struct Place {
        let table: String
        let id: RowID
    }

    /// Returns the readable operation numbers, and the table and row id of each number that is readable in the index.
    ///
    /// The table of operations and its index are read from both ends, each time up to the damaged part.
    private func places(_ db: Database) -> (Set<Int64>, [Int64: Place]) {
        var numbers: Set<Int64> = []
        var places: [Int64: Place] = [:]
        for direction in ["ASC", "DESC"] {
            walk(db, "SELECT id FROM MS_TableOperations NOT INDEXED ORDER BY id \(direction)") { row in
                if let number = Int64.fromDatabaseValue(row[0]) { numbers.insert(number) }
            }
            walk(
                db,
                """
                SELECT id, "table", itemId FROM MS_TableOperations INDEXED BY MS_TableOperations_row WHERE "table" > ''
                ORDER BY "table" \(direction), itemId \(direction), id \(direction)
                """
            ) { row in
                guard let number = Int64.fromDatabaseValue(row[0]), let table = String.fromDatabaseValue(row[1]),
                    let id = String.fromDatabaseValue(row[2]).flatMap({ RowID($0) })
                else { return }
                numbers.insert(number)
                places[number] = Place(table: table, id: id)
            }
        }
        return (numbers, places)
    }

    private func walk(_ db: Database, _ sql: String, _ read: (Row) -> Void) {
        guard let cursor = try? Row.fetchCursor(db, sql: sql) else { return }
        while let row = try? cursor.next() { read(row) }
    }

    /// Returns the edit with an operation number, or `nil` if the edit's values are unreadable.
    private func edit(_ number: Int64, _ place: Place?, _ transaction: SQLiteTransaction) -> SavedEdit? {
        if let operation = try? transaction.operation(after: number - 1, in: nil), operation.id == number {
            let row = try? transaction.row(operation.itemID, in: operation.table)
            let edit = SavedEdit(operation, row)
            return edit.item == nil && edit.kind.leavesRow ? nil : edit
        }
        guard let place else { return nil }
        do {
            return SavedEdit(table: place.table, id: place.id, row: try transaction.row(place.id, in: place.table))
        } catch {
            return nil
        }
    }
}
