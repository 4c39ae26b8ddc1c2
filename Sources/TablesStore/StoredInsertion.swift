import Crypto
import DurableSQLite
import Foundation
import GRDB
import Tables

/// An insert that was done under a key of its client, so that a repetition is answered as the first time.
struct StoredInsertion {
    /// Milliseconds for which a repetition is recognised.
    static let lifetime: Int64 = 24 * 3600 * 1000
    private static let find = """
        SELECT digest, row FROM insertions WHERE table_name = $1 AND owner = $2 AND key = $3 AND ends_at > $4
        """
    private static let store = """
        INSERT INTO insertions (table_name, owner, key, digest, row, ends_at) VALUES ($1, $2, $3, $4, $5, $6)
        ON CONFLICT (table_name, owner, key) DO UPDATE SET digest = excluded.digest, row = excluded.row,
        ends_at = excluded.ends_at
        """
    static let purge = "DELETE FROM insertions WHERE ends_at < $1"

    /// The row that the first request with `key` inserted.
    static func row(
        _ db: Database,
        _ table: String,
        _ owner: String,
        _ key: UUID,
        _ draft: RowDraft,
        now: Int64
    ) throws -> TableRow? {
        let arguments: StatementArguments = [table, owner, key.uuidString, now]
        guard let record = try db.row(find, arguments) else { return nil }
        guard record[0] == digest(draft) else { throw TablesStoreError(.keyReused) }
        return try JSONDecoder().decode(ArchivedRow.self, from: record[1]).row
    }

    /// Remembers what `key` inserted.
    static func remember(
        _ db: Database,
        _ table: String,
        _ owner: String,
        _ key: UUID,
        _ draft: RowDraft,
        _ row: TableRow
    ) throws {
        let archive = try JSONEncoder().encode(ArchivedRow(row))
        try db.run(store, [table, owner, key.uuidString, digest(draft), archive, row.createdAt + lifetime])
    }

    /// Tells rows that a client sent apart; what the server filled in takes no part.
    private static func digest(_ draft: RowDraft) -> Data {
        var hash = SHA256()
        let parts = [draft.id?.text ?? ""] + draft.sent.sorted().map { "\($0)=\(draft.values[$0] ?? .null)" }
        for part in parts {
            withUnsafeBytes(of: UInt64(part.utf8.count).littleEndian) { hash.update(bufferPointer: $0) }
            hash.update(data: Data(part.utf8))
        }
        return Data(hash.finalize())
    }
}

/// A row as it is kept for repetitions.
private struct ArchivedRow: Codable {
    enum Cell: Codable {
        case null
        case boolean(Bool)
        case number(Double)
        case string(String)
        case date(Int64)
    }

    let id: String
    let number: Int64?
    let createdAt: Int64
    let updatedAt: Int64
    let cells: [String: Cell]

    init(_ row: TableRow) {
        id = row.id.text
        number = row.id.number
        createdAt = row.createdAt
        updatedAt = row.updatedAt
        cells = row.values.mapValues { value in
            switch value {
            case .null: .null
            case .boolean(let value): .boolean(value)
            case .number(let value): .number(value)
            case .string(let value): .string(value)
            case .date(let value): .date(value)
            }
        }
    }

    var row: TableRow? {
        (number.map(RowID.init(number:)) ?? RowID(id)).map { id in
            let values = cells.mapValues { cell -> TableValue in
                switch cell {
                case .null: .null
                case .boolean(let value): .boolean(value)
                case .number(let value): .number(value)
                case .string(let value): .string(value)
                case .date(let value): .date(value)
                }
            }
            return TableRow(id: id, values: values, createdAt: createdAt, updatedAt: updatedAt, isDeleted: false)
        }
    }
}
