public import Tables

/// The count of each owner's rows and bytes in the table `usage`, which triggers keep in the transaction of every write.
///
/// So no way to write, of today or later, can forget it.
extension TableSQL {
    /// Selects the rows and bytes of an owner.
    public static let selectUsage = "SELECT rows, bytes FROM usage WHERE owner = $1"

    /// Makes the triggers that count, one statement for each.
    public var triggers: [String] {
        [
            """
            CREATE TRIGGER IF NOT EXISTS "u_\(plainName)_insert" AFTER INSERT ON \(name) BEGIN
                INSERT INTO usage (owner, rows, bytes) VALUES (NEW.owner, 1, NEW.bytes)
                ON CONFLICT (owner) DO UPDATE SET rows = rows + 1, bytes = bytes + excluded.bytes;
            END
            """,
            """
            CREATE TRIGGER IF NOT EXISTS "u_\(plainName)_update" AFTER UPDATE OF bytes ON \(name)
            WHEN NEW.bytes <> OLD.bytes BEGIN
                UPDATE usage SET bytes = bytes + NEW.bytes - OLD.bytes WHERE owner = NEW.owner;
            END
            """,
            """
            CREATE TRIGGER IF NOT EXISTS "u_\(plainName)_delete" AFTER DELETE ON \(name) BEGIN
                UPDATE usage SET rows = rows - 1, bytes = bytes - OLD.bytes WHERE owner = OLD.owner;
            END
            """,
        ]
    }

    /// The statements that drop a column with its values and its sort keys; its bytes are taken from the counts.
    public func drop(_ column: TableColumn) -> [String] {
        let sortKey = Self.sortKey(column)
        let uncount = "UPDATE \(name) SET bytes = bytes - \(Self.length(column))"
        return (sortKey == nil ? [] : [uncount])
            + ([Self.quoted(column)] + (sortKey.map { [$0] } ?? [])).map { "ALTER TABLE \(name) DROP COLUMN \($0)" }
    }

    private static func length(_ text: TableColumn) -> String {
        "coalesce(length(CAST(\(quoted(text)) AS BLOB)), 0)"
    }
}
