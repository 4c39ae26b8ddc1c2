public import OAuth
public import Tables

/// A row as the API answered it.
public struct RemoteRow: Hashable, Sendable {
    /// Names it within its table.
    public let id: RowID
    /// What its columns hold; dates are texts, as they stood in the answer.
    public let values: [String: TableValue]
    /// What a later change is made conditional on; opaque.
    public let version: RowVersion?
    /// When it was inserted, in milliseconds since 1970 UTC.
    public let createdAt: Int64?
    /// When it was last written, in milliseconds since 1970 UTC.
    public let updatedAt: Int64?
    /// Whether it was deleted and only its trace is kept.
    public let isDeleted: Bool

    /// A row.
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
    init(json: JSONValue, entityTag: String? = nil) throws(TablesError) {
        guard let members = json.object, let id = (json["id"]?.string ?? json["id"]?.int.map(String.init)),
            let id = RowID(id)
        else { throw TablesError(.malformedAnswer, "the API answered something that is no row") }
        var values: [String: TableValue] = [:]
        for (name, value) in members where !TableDefinition.systemColumns.contains(name.lowercased()) {
            guard let value = TableValue(json: value) else {
                throw TablesError(.malformedAnswer, "the API answered a row with a value that no column can hold")
            }
            values[name] = value
        }
        self.init(
            id: id,
            values: values,
            version: (json["version"]?.string ?? entityTag.flatMap(Self.version)).map { RowVersion($0) },
            createdAt: json["createdAt"]?.string.flatMap(TableDate.milliseconds),
            updatedAt: json["updatedAt"]?.string.flatMap(TableDate.milliseconds),
            isDeleted: json["deleted"]?.bool ?? false
        )
    }

    /// The row as one JSON object, as the API answers it.
    public var json: JSONValue {
        var members = values.mapValues(\.json)
        members["id"] = .string(id.text)
        members["version"] = version.map { .string($0.description) }
        members["createdAt"] = createdAt.map { .string(TableDate.text($0)) }
        members["updatedAt"] = updatedAt.map { .string(TableDate.text($0)) }
        members["deleted"] = .bool(isDeleted)
        return .object(members)
    }

    private static func version(_ entityTag: String) -> String? {
        guard case .oneOf(let versions)? = VersionCondition(ifMatch: entityTag), versions.count == 1 else { return nil }
        return versions.first?.description
    }
}
