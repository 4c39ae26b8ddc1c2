import Files
import Foundation
import OAuth
import StrictYAML
public import Tables

/// Reads a table's initial rows from a file, and reports invalid rows by their number, starting at 1.
struct SeedReader {
    /// The maximum size of a file, in bytes.
    static let maxLength = 4 * 1024 * 1024
    static let maxRows = 10_000
    /// The JSON member with the user who owns the row in a `perUser` table, as `OID` or `BASE/TENANT#OID`.
    static let ownerMember = "$owner"

    let table: TableDeclaration
    let trust: [TasksdConfiguration.Trust]
    let folder: String

    /// Returns the valid rows and reports the others, or returns `nil` if there is no file or it cannot be used.
    func read(_ value: YAMLValue, problems: inout [Problem]) -> TableSeed? {
        guard value.isPresent else { return nil }
        let path = value.path(from: folder)
        func refuse(_ what: String) -> TableSeed? {
            problems.append(value.problem("`tables.\(table.name).seed`: \(path): \(what)"))
            return nil
        }
        guard let bytes = FileManager.default.contents(atPath: path) else { return refuse("cannot be read") }
        guard bytes.count <= Self.maxLength else { return refuse("has more than \(Self.maxLength) bytes") }
        if let encoding = ByteOrderMark.wideEncoding(of: bytes) { return refuse("is \(encoding); save it as UTF-8") }
        let items: [JSONValue]
        do throws(StrictJSON.Failure) {
            let document = try StrictJSON.parse(ByteOrderMark.skipped(in: bytes))
            guard let array = document.array else { return refuse("is not a list of rows") }
            items = array
        } catch {
            return refuse("is not JSON: \(error)")
        }
        guard items.count <= Self.maxRows else { return refuse("has more than \(Self.maxRows) rows") }
        var rows: [TableSeed.Row] = []
        var wider = table
        var ids: Set<String> = []
        for (index, item) in items.enumerated() {
            do throws(TableProblem) {
                let row = try row(item)
                let draft = try RowDraft.insert(row.members, into: wider) { source in
                    switch source {
                    case .oid: row.oid.map { .string($0) } ?? .null
                    case .now: .date(0)
                    case .uuid: .string(RowID.random().text)
                    }
                }
                wider = try wider.adding(draft.added)
                if let id = draft.id, !ids.insert("\(row.owner)\u{0}\(id.text)").inserted {
                    throw TableProblem(message: "the id occurs twice", column: "id")
                }
                rows.append(row)
            } catch {
                _ = refuse("row \(index + 1): \(error.message)")
            }
        }
        return TableSeed(table: table.name, rows: rows)
    }

    private func row(_ item: JSONValue) throws(TableProblem) -> TableSeed.Row {
        guard var members = item.object else {
            throw TableProblem(message: "must be an object of columns, such as {\"text\": \"milk\"}")
        }
        let owner = members.removeValue(forKey: Self.ownerMember)
        var values: [String: TableValue] = [:]
        for (name, value) in members { values[name] = try Self.value(value, name) }
        guard table.isPerUser else {
            guard owner == nil else {
                throw TableProblem(
                    message: "has an `$owner`, but the table is shared; remove it, or set `perUser: true`",
                    column: Self.ownerMember
                )
            }
            return TableSeed.Row(owner: "", oid: nil, members: values)
        }
        guard let owner = owner?.string, !owner.isEmpty else {
            throw TableProblem(
                message:
                    "a per-user table's seed rows need `$owner`; set it to an oid, or set `perUser: false`",
                column: Self.ownerMember
            )
        }
        let realms = trust.map { "\($0.base)/\($0.tenant)" }
        if let mark = owner.firstIndex(of: "#") {
            guard realms.contains(String(owner[..<mark])), owner.index(after: mark) < owner.endIndex else {
                throw TableProblem(message: "no authority in `trust` matches `$owner`", column: Self.ownerMember)
            }
            let oid = String(owner[owner.index(after: mark)...])
            return TableSeed.Row(owner: owner, oid: oid, members: values)
        }
        guard realms.count == 1 else {
            throw TableProblem(
                message: "`$owner` must be BASE/TENANT#OID, since there are several authorities in `trust`",
                column: Self.ownerMember
            )
        }
        return TableSeed.Row(owner: "\(realms[0])#\(owner)", oid: owner, members: values)
    }

    private static func value(_ value: JSONValue, _ name: String) throws(TableProblem) -> TableValue {
        switch value {
        case .null: return .null
        case .bool(let flag): return .boolean(flag)
        case .int(let number):
            guard let exact = Double(exactly: number) else {
                throw TableProblem(.tooManyDigits(name), column: name)
            }
            return .number(exact)
        case .double(let number): return .number(number)
        case .string(let text): return .string(text)
        case .array, .object:
            throw TableProblem(.listOrObject(name), column: name)
        }
    }
}

/// The initial rows of a table.
public struct TableSeed: Hashable, Sendable {
    /// One row of a seed.
    public struct Row: Hashable, Sendable {
        /// The row's owner in the form that the table stores, or an empty string in a table without `perUser`.
        public let owner: String
        /// The user id of the row's owner for columns that the server sets, or `nil` in a table without `perUser`.
        public let oid: String?
        /// The value of each column, as a client would send it.
        public let members: [String: TableValue]
    }

    /// The table's name.
    public let table: String
    /// The valid rows, in the same order as in the file.
    public let rows: [Row]
}
