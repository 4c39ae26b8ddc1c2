import Crypto
import DurableSQLite
import Foundation
import GRDB
import GRDBSQLite
import Tables
import TablesSQL
import TablesSQLite

/// An insert with an idempotency key.
struct StoredInsertion {
    /// How long the server recognizes a repeated request, in milliseconds.
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

    /// Returns the row that the first request with `key` inserted, or `nil` if there was no such request.
    static func row(
        _ db: Database,
        _ table: String,
        _ owner: String,
        _ key: UUID,
        _ draft: RowDraft,
        now: Int64
    ) throws -> TableRow? {
        let arguments: [SQLValue] = [.text(table), .text(owner), .text(key.uuidString), .integer(now)]
        var record: (digest: [UInt8], row: Data)?
        try RawStatement(find, arguments).run(db) { record = (bytes($0, 0), Data(bytes($0, 1))) }
        guard let record else { return nil }
        guard record.digest == digest(draft) else { throw TablesStoreError(.keyReused) }
        return try JSONDecoder().decode(ArchivedRow.self, from: record.row).row
    }

    static func remember(
        _ db: Database,
        _ table: String,
        _ owner: String,
        _ key: UUID,
        _ draft: RowDraft,
        _ row: TableRow
    ) throws {
        let (digest, archive) = (Data(digest(draft)), Data(archive(row)))
        try db.run(store, [table, owner, key.uuidString, digest, archive, row.createdAt + lifetime])
    }

    private static func bytes(_ statement: OpaquePointer, _ column: Int32) -> [UInt8] {
        let count = Int(sqlite3_column_bytes(statement, column))
        return Array(UnsafeRawBufferPointer(start: sqlite3_column_blob(statement, column), count: count))
    }

    /// Encodes a row for ``ArchivedRow`` without `Encodable`, which would slow down inserts with an idempotency key.
    static func archive(_ row: TableRow) -> [UInt8] {
        var json = JSONOutput(capacity: 512)
        json.append("{\"id\":")
        json.append(text: row.id.text)
        if let number = row.id.number {
            json.append(",\"number\":")
            json.append(number: number)
        }
        json.append(",\"createdAt\":")
        json.append(number: row.createdAt)
        json.append(",\"updatedAt\":")
        json.append(number: row.updatedAt)
        json.append(",\"cells\":{")
        var isFirst = true
        for (name, value) in row.values {
            if !isFirst { json.append(",") }
            isFirst = false
            json.append(text: name)
            append(value, to: &json)
        }
        json.append("}}")
        return json.bytes
    }

    private static func append(_ value: TableValue, to json: inout JSONOutput) {
        switch value {
        case .null: json.append(":{\"null\":{")
        case .boolean(let value):
            json.append(":{\"boolean\":{\"_0\":")
            json.append(truth: value)
        case .number(let value):
            json.append(":{\"number\":{\"_0\":")
            json.append(number: value)
        case .string(let value):
            json.append(":{\"string\":{\"_0\":")
            json.append(text: value)
        case .date(let value):
            json.append(":{\"date\":{\"_0\":")
            json.append(number: value)
        }
        json.append("}}")
    }

    /// Returns a digest of the row as the client sent it, without values that the server filled in.
    static func digest(_ draft: RowDraft) -> [UInt8] {
        var hash = SHA256()
        let parts = [draft.id?.text ?? ""] + draft.sent.sorted().map { "\($0)=\(text(draft.values[$0] ?? .null))" }
        for part in parts {
            withUnsafeBytes(of: UInt64(part.utf8.count).littleEndian) { hash.update(bufferPointer: $0) }
            var part = part
            part.withUTF8 { hash.update(bufferPointer: UnsafeRawBufferPointer($0)) }
        }
        return Array(hash.finalize())
    }

    /// Returns the same string as the description of `value`, without slow reflection.
    static func text(_ value: TableValue) -> String {
        switch value {
        case .null: "null"
        case .boolean(let value): "boolean(\(value))"
        case .number(let value): "number(\(value.debugDescription))"
        case .string(let value): "string(\(value.debugDescription))"
        case .date(let value): "date(\(value))"
        }
    }
}

/// A stored copy of an inserted row, used to respond to repeated requests.
private struct ArchivedRow: Decodable {
    enum Cell: Decodable {
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
