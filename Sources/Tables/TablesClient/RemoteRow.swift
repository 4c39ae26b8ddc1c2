public import OAuth
public import Tables

/// A row as the API answered it.
public struct RemoteRow: Hashable, Sendable {
    /// The id within its table.
    public let id: RowID
    /// Values by column; dates are texts, as they stood in the answer.
    public var values: [String: TableValue]
    /// The version, which a later change can be made conditional on; opaque.
    public let version: RowVersion?
    /// The time of the insertion, in milliseconds since 1970 UTC.
    public let createdAt: Int64?
    /// The time of the last write, in milliseconds since 1970 UTC.
    public let updatedAt: Int64?
    /// True if the row was deleted and only its tombstone is kept.
    public let isDeleted: Bool

    /// Makes a row of its values.
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

    /// Reads a row of an answer.
    ///
    /// - Parameters:
    ///   - json: The object.
    ///   - entityTag: The answer's `ETag`, for rows that do not hold their version.
    /// - Throws: ``TablesError`` if it is no row.
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

    /// The row as one JSON object, as the API answers it.
    public var json: JSONValue {
        var members = values.mapValues(\.json)
        members["id"] = id.number.map { .int($0) } ?? .string(id.text)
        members["version"] = version.map { .string($0.description) }
        members["createdAt"] = createdAt.map { .string(TableDate.text($0)) }
        members["updatedAt"] = updatedAt.map { .string(TableDate.text($0)) }
        members["deleted"] = .bool(isDeleted)
        return .object(members)
    }

    /// The value of a column; nil if the row does not have it.
    public subscript(_ column: String) -> TableValue? {
        get { values[column] }
        set { values[column] = newValue }
    }

    /// True if the server alone writes a column of this name, in the protocol's present form or in its first.
    static func isSystemColumn(_ name: String) -> Bool {
        name.hasPrefix("__") || TableDeclaration.systemColumns.contains(name.lowercased())
    }

    static func version(_ entityTag: String) -> String? {
        guard case .oneOf(let versions)? = VersionCondition(ifMatch: entityTag), versions.count == 1 else { return nil }
        return versions.first?.description
    }
}

extension TableValue {
    /// Reads what a cell of an answer holds; nil for arrays and objects, which no column holds.
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

    /// The value as it stands in requests and answers: whole numbers without a fraction, dates as texts.
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
