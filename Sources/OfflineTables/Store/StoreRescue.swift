import DurableSQLite
import Foundation
import GRDB
import OAuth
import Storage
import Tables
import TablesClient

/// A damaged store that was set aside, and the pending edits that could still be read from it.
public struct StoreRescue: Hashable, Sendable {
    /// The path of the damaged database, which is kept.
    public let damaged: String
    /// The path of the JSON file with the pending edits; nil if none could be read.
    public let edits: String?
    /// Number of pending edits in that file.
    public let count: Int

    /// Reads what is left of the queue, writes it into a private file, and moves the database out of the way.
    init(_ directory: StateDirectory, sealing: Sealing?, at milliseconds: Int64) throws(StoreError) {
        let file = SQLiteSyncStore.file
        let lines = Self.edits(directory.path(file), sealing)
        let export = "edits-\(milliseconds).json"
        if !lines.isEmpty { try directory.makePrivateFile(export, JSONValue.array(lines).bytes) }
        let aside = "\(file).damaged-\(milliseconds)"
        for suffix in ["", "-wal", "-shm"] where access(directory.path(file + suffix), F_OK) == 0 {
            guard rename(directory.path(file + suffix), directory.path(aside + suffix)) == 0 else {
                throw .fromErrno(errno, "cannot set \(directory.path(file)) aside")
            }
        }
        try directory.synchronize()
        damaged = directory.path(aside)
        edits = lines.isEmpty ? nil : directory.path(export)
        count = lines.count
    }

    /// The operations that open, each with the row that it would have sent.
    private static func edits(_ path: String, _ sealing: Sealing?) -> [JSONValue] {
        var configuration = Configuration()
        configuration.readonly = true
        guard let queue = try? DatabaseQueue(path: path, configuration: configuration) else { return [] }
        defer { try? queue.close() }
        let found = try? queue.read { db -> [JSONValue] in
            let transaction = SQLiteTransaction(db: db, sealing: sealing)
            var edits: [JSONValue] = []
            var last: Int64 = 0
            while let number = try Int64.fetchOne(
                db,
                sql: "SELECT id FROM MS_TableOperations WHERE id > ? ORDER BY id LIMIT 1",
                arguments: [last]
            ) {
                last = number
                // One that does not open hides none of the others.
                guard let operation = try? transaction.operation(after: number - 1, in: nil) else { continue }
                let row = try? transaction.row(operation.itemID, in: operation.table)
                edits.append(
                    [
                        "table": .string(operation.table), "operation": .string(operation.kind.word),
                        "id": .string(operation.itemID.text),
                        "item": row?.json ?? operation.item?.json ?? .null,
                    ]
                )
            }
            return edits
        }
        return found ?? []
    }
}
