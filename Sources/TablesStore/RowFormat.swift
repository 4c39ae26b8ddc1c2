public import Tables

/// Which members the JSON object of a row has, under which names and in which order.
public struct RowFormat: Sendable {
    /// Where a member's value comes from.
    enum Source: Hashable, Sendable {
        case id
        case createdAt
        case updatedAt
        case version
        case deleted
        /// The table's own column of that number.
        case column(Int, ColumnType)
    }

    /// One member of the object.
    struct Member: Sendable {
        /// `,"name":`; the first member's comma is left out when it is written.
        let prefix: [UInt8]
        /// The column's declared name.
        let name: String
        let source: Source

        init(_ name: String, _ source: Source) {
            var prefix = [UInt8(ascii: ",")]
            JSONBytes.append(name, to: &prefix)
            prefix.append(UInt8(ascii: ":"))
            self.prefix = prefix
            self.name = name
            self.source = source
        }
    }

    let members: [Member]

    /// All columns of `table`, and its system columns unless its protocol shows them only to who asks.
    ///
    /// - Parameters:
    ///   - table: The table.
    ///   - shown: The system columns that were asked for by their plain names; nil for what the protocol shows.
    public init(_ table: TableDefinition, shown: Set<String>? = nil) {
        var members = [Member("id", .id)]
        for (name, source) in Self.system(table) {
            let isShown = shown.map { $0.contains(name.lowercased()) } ?? (table.compatibility == .v2)
            if isShown { members.append(Member(table.compatibility == .v1 ? "__\(name)" : name, source)) }
        }
        for (index, column) in table.columns.enumerated() {
            members.append(Member(column.name, .column(index, column.type)))
        }
        self.members = members
    }

    private init(_ members: [Member]) {
        self.members = members
    }

    /// Only those columns, in this order.
    ///
    /// - Parameters:
    ///   - table: The table.
    ///   - names: Columns as declared; what is none is left out.
    public init(_ table: TableDefinition, selecting names: [String]) {
        let all = RowFormat(table, shown: Set(Self.system(table).map { $0.0.lowercased() })).members
        var chosen: [Member] = []
        for name in names where !chosen.contains(where: { $0.name == name }) {
            chosen += all.filter { $0.name == name }
        }
        self.init(chosen)
    }

    private static func system(_ table: TableDefinition) -> [(String, Source)] {
        [("createdAt", .createdAt), ("updatedAt", .updatedAt), ("version", .version), ("deleted", .deleted)]
    }

    /// The JSON object of a row.
    public func json(_ row: Row) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(512)
        append(row, to: &bytes)
        return bytes
    }

    /// The JSON array of rows.
    public func json(_ rows: [Row]) -> [UInt8] {
        var bytes = [UInt8(ascii: "[")]
        for (index, row) in rows.enumerated() {
            if index > 0 { bytes.append(UInt8(ascii: ",")) }
            append(row, to: &bytes)
        }
        bytes.append(UInt8(ascii: "]"))
        return bytes
    }

    /// Appends the JSON object of a row.
    public func append(_ row: Row, to bytes: inout [UInt8]) {
        let start = bytes.count
        for member in members {
            bytes.append(contentsOf: member.prefix)
            switch member.source {
            case .id:
                if let number = row.id.number {
                    JSONBytes.append(number, to: &bytes)
                } else {
                    JSONBytes.append(row.id.text, to: &bytes)
                }
            case .createdAt: JSONBytes.append(date: row.createdAt, to: &bytes)
            case .updatedAt: JSONBytes.append(date: row.updatedAt, to: &bytes)
            case .version: JSONBytes.append(version: row.updatedAt, to: &bytes)
            case .deleted: JSONBytes.append(row.isDeleted, to: &bytes)
            case .column: Self.append(row.values[member.name] ?? .null, to: &bytes)
            }
        }
        Self.close(&bytes, from: start)
    }

    /// Makes an object of the members that were appended from `start` on.
    static func close(_ bytes: inout [UInt8], from start: Int) {
        if bytes.count == start { bytes.append(UInt8(ascii: "{")) } else { bytes[start] = UInt8(ascii: "{") }
        bytes.append(UInt8(ascii: "}"))
    }

    private static func append(_ value: TableValue, to bytes: inout [UInt8]) {
        switch value {
        case .null: bytes.append(contentsOf: "null".utf8)
        case .boolean(let value): JSONBytes.append(value, to: &bytes)
        case .number(let value): JSONBytes.append(value, to: &bytes)
        case .string(let value): JSONBytes.append(value, to: &bytes)
        case .date(let value): JSONBytes.append(date: value, to: &bytes)
        }
    }
}
