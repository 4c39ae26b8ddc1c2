public import Tables

/// Statements for the table `usage`, in which triggers count each owner's rows and bytes during every write.
extension TableSQL {
    /// Selects an owner's row count and byte count.
    public static let selectUsage = "SELECT rows, bytes FROM usage WHERE owner = $1"

    /// The statements that create the triggers that keep the table `usage` up to date.
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

    /// Returns the statements that drop a column and its sort keys, and subtract its strings from the byte counts.
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
