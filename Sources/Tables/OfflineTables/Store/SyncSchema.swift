import DurableSQLite

/// The tables of a store's database, with the names and columns from the offline sync guide.
///
/// Ids, table names, operation kinds, the order of the queue, settings, and the rows' system columns are stored in
/// plain text. Everything else is in columns that are encrypted if the store has a key.
enum SyncSchema {
    /// The migration steps.
    ///
    /// After the release of 0.1.0, existing steps must not change, and new steps must be appended.
    static let steps = [Migration("0.1.0", sql: tables)]

    static let rows = SealedColumn("MS_TableRows", "item")
    static let operations = SealedColumn("MS_TableOperations", "properties")
    static let errors = SealedColumn("MS_TableOperationErrors", "properties")

    private static let tables = """
        CREATE TABLE MS_TableRows (
            "table" TEXT NOT NULL, id TEXT NOT NULL, ms_createdAt INTEGER, ms_updatedAt INTEGER, ms_version TEXT,
            ms_deleted INTEGER NOT NULL, item BLOB NOT NULL, PRIMARY KEY ("table", id)
        ) STRICT, WITHOUT ROWID;
        CREATE TABLE MS_TableOperations (
            id INTEGER PRIMARY KEY NOT NULL, itemId TEXT NOT NULL, properties BLOB NOT NULL, "table" TEXT NOT NULL,
            tableKind INTEGER NOT NULL
        ) STRICT;
        CREATE INDEX MS_TableOperations_row ON MS_TableOperations ("table", itemId, id);
        CREATE TABLE MS_TableOperationErrors (
            id TEXT PRIMARY KEY NOT NULL, operationID INTEGER NOT NULL, properties BLOB NOT NULL,
            tableKind INTEGER NOT NULL
        ) STRICT;
        CREATE INDEX MS_TableOperationErrors_operation ON MS_TableOperationErrors (operationID);
        CREATE TABLE MS_TableConfig (
            id INTEGER PRIMARY KEY NOT NULL, key TEXT NOT NULL, keyType INTEGER NOT NULL, "table" TEXT NOT NULL,
            value TEXT NOT NULL, UNIQUE ("table", keyType, key)
        ) STRICT;
        """
}
