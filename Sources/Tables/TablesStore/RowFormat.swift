public import Tables

/// The names and the order of the members in a row's JSON object.
public struct RowFormat: Sendable {
    enum Source: Hashable, Sendable {
        case id
        case createdAt
        case updatedAt
        case version
        case deleted
        case column(Int, ColumnType)
    }

    struct Member: Sendable {
        let name: String
        let source: Source

        init(_ name: String, _ source: Source) {
            self.name = name
            self.source = source
        }
    }

    struct Part: Sendable {
        let source: Source
        /// The position of `,"name":` in ``prefixes``, whose comma becomes `{` if the member is the first one.
        let prefix: Range<Int>
    }

    let members: [Member]
    let parts: [Part]
    let prefixes: [UInt8]

    /// Creates a format with all columns and the system columns in `shown` (without `__`, or `nil` for the default).
    public init(_ table: TableDeclaration, shown: Set<String>? = nil) {
        var members = [Member("id", .id)]
        for (name, source) in Self.system {
            let isShown = shown.map { $0.contains(name.lowercased()) } ?? (table.compatibility == .v2)
            if isShown { members.append(Member(table.compatibility == .v1 ? "__\(name)" : name, source)) }
        }
        for (index, column) in table.columns.enumerated() {
            members.append(Member(column.name, .column(index, column.type)))
        }
        self.init(members)
    }

    private init(_ members: [Member]) {
        var prefixes = JSONOutput(capacity: 32 * (members.count + 1))
        var parts: [Part] = []
        for member in members {
            let start = prefixes.count
            prefixes.append(",")
            prefixes.append(text: member.name)
            prefixes.append(":")
            parts.append(Part(source: member.source, prefix: start..<prefixes.count))
        }
        self.members = members
        self.parts = parts
        self.prefixes = prefixes.bytes
    }

    /// Creates a format with only the columns in `names`, in this order and without unknown names.
    public init(_ table: TableDeclaration, selecting names: [String]) {
        let all = RowFormat(table, shown: Set(Self.system.map { $0.0.lowercased() })).members
        var chosen: [Member] = []
        for name in names where !chosen.contains(where: { $0.name == name }) {
            chosen += all.filter { $0.name == name }
        }
        self.init(chosen)
    }

    private static let system: [(String, Source)] = [
        ("createdAt", .createdAt), ("updatedAt", .updatedAt), ("version", .version), ("deleted", .deleted),
    ]

    /// Returns a row as a JSON object.
    public func json(_ row: TableRow) -> [UInt8] {
        var json = JSONOutput(capacity: 512)
        append(row, to: &json)
        return json.bytes
    }

    /// Returns rows as a JSON array.
    public func json(_ rows: [TableRow]) -> [UInt8] {
        var json = JSONOutput(capacity: 512 * (rows.count + 1))
        json.append("[")
        for (index, row) in rows.enumerated() {
            if index > 0 { json.append(",") }
            append(row, to: &json)
        }
        json.append("]")
        return json.bytes
    }

    private func append(_ row: TableRow, to json: inout JSONOutput) {
        let start = json.count
        for (member, part) in zip(members, parts) {
            appendPrefix(part, to: &json)
            switch member.source {
            case .id:
                if let number = row.id.number {
                    json.append(number: number)
                } else {
                    json.append(text: row.id.text)
                }
            case .createdAt: json.append(date: row.createdAt)
            case .updatedAt: json.append(date: row.updatedAt)
            case .version: json.append(version: row.updatedAt)
            case .deleted: json.append(truth: row.isDeleted)
            case .column: Self.append(row.values[member.name] ?? .null, to: &json)
            }
        }
        Self.close(&json, from: start)
    }

    func appendPrefix(_ part: Part, to json: inout JSONOutput) {
        prefixes.withUnsafeBufferPointer { json.append(UnsafeBufferPointer(rebasing: $0[part.prefix])) }
    }

    /// Closes the JSON object whose members begin at the index `start` in `json`.
    static func close(_ json: inout JSONOutput, from start: Int) {
        if json.count == start { json.append("{") } else { json.replace(at: start, with: UInt8(ascii: "{")) }
        json.append("}")
    }

    private static func append(_ value: TableValue, to json: inout JSONOutput) {
        switch value {
        case .null: json.append("null")
        case .boolean(let value): json.append(truth: value)
        case .number(let value): json.append(number: value)
        case .string(let value): json.append(text: value)
        case .date(let value): json.append(date: value)
        }
    }
}
