import DurableSQLite

extension Migrations {
    /// The last wrong answer that was charged to a budget, as a keyed hash.
    static let lastAnswers = Migration("last wrong answers", sql: "ALTER TABLE attempts ADD COLUMN answer BLOB;")
}
