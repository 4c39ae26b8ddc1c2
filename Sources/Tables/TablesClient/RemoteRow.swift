public import OAuth
public import Tables

/// A row as returned by the API.
public struct RemoteRow: Hashable, Sendable {
    /// The row's id, which is unique within the table.
    public let id: RowID
    /// The row's values by column name, in which dates are strings.
    public var values: [String: TableValue]
    /// The row's opaque version for conditional updates, or `nil` if the response contains no version.
    public let version: RowVersion?
    /// The time of the insert, in milliseconds since 1970 UTC, or `nil` if the response does not contain it.
    public let createdAt: Int64?
    /// The time of the last write, in milliseconds since 1970 UTC, or `nil` if the response does not contain it.
    public let updatedAt: Int64?
    /// Whether the row is a tombstone, which the server stores for a deleted row.
    public let isDeleted: Bool

    /// Creates a row.
    public init(
        id: RowID,
        values: [String: TableValue],
        version: RowVersion? = nil,
        createdAt: Int64? = nil,
        updatedAt: Int64? = nil,
        isDeleted: Bool = false
    ) {
        self.id = id
        self.values = values
        self.version = version
        self.createdAt = createdAt
        self.updatedAt = updatedAt
        self.isDeleted = isDeleted
    }

    /// Parses a row from a response, with `entityTag` as the version if the object contains no version.
    package init(json: JSONValue, entityTag: String? = nil) throws(TablesError) {
        guard let members = json.object,
            let id = json["id"]?.string.flatMap({ RowID($0) }) ?? json["id"]?.int.map({ RowID(number: $0) })
        else { throw TablesError(.malformedAnswer, .notARow) }
        var values: [String: TableValue] = [:]
        for (name, value) in members where !Self.isSystemColumn(name) {
            guard let value = TableValue(json: value) else {
                var error = TablesError(.malformedAnswer, .unusableColumn(name))
                error.column = name
                throw error
            }
            values[name] = value
        }
        func system(_ name: String) -> JSONValue? { json[name] ?? json["__" + name] }
        self.init(
            id: id,
            values: values,
            version: (system("version")?.string ?? entityTag.flatMap(Self.version)).map { RowVersion($0) },
            createdAt: system("createdAt")?.string.flatMap(TableDate.milliseconds),
            updatedAt: system("updatedAt")?.string.flatMap(TableDate.milliseconds),
            isDeleted: system("deleted")?.bool ?? false
        )
    }

    /// The row as the JSON object that the API sends.
    public var json: JSONValue {
        var members = values.mapValues(\.json)
        members["id"] = id.number.map { .int($0) } ?? .string(id.text)
        members["version"] = version.map { .string($0.description) }
        members["createdAt"] = createdAt.map { .string(TableDate.text($0)) }
        members["updatedAt"] = updatedAt.map { .string(TableDate.text($0)) }
        members["deleted"] = .bool(isDeleted)
        return .object(members)
    }

    /// The value of a column, or `nil` if the row does not have the column.
    public subscript(_ column: String) -> TableValue? {
        get { values[column] }
        set { values[column] = newValue }
    }

    /// Returns whether any version of the protocol reserves `name` for a system column.
    static func isSystemColumn(_ name: String) -> Bool {
        name.hasPrefix("__") || TableDeclaration.systemColumns.contains(name.lowercased())
    }

    static func version(_ entityTag: String) -> String? {
        guard case .oneOf(let versions)? = VersionCondition(ifMatch: entityTag), versions.count == 1 else { return nil }
        return versions.first?.description
    }
}

extension TableValue {
    /// Parses a value, or returns `nil` for arrays and objects, which no column can store.
    package init?(json: JSONValue) {
        switch json {
        case .null: self = .null
        case .bool(let value): self = .boolean(value)
        case .int(let value): self = .number(Double(value))
        case .double(let value): self = .number(value)
        case .string(let value): self = .string(value)
        case .array, .object: return nil
        }
    }

    /// The value as JSON, with dates as strings and no decimal point in whole numbers.
    public var json: JSONValue {
        switch self {
        case .null: .null
        case .boolean(let value): .bool(value)
        case .number(let value): Int64(exactly: value).map { .int($0) } ?? .double(value)
        case .string(let value): .string(value)
        case .date(let value): .string(TableDate.text(value))
        }
    }
}
