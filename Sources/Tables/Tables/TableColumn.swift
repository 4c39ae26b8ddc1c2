/// A column of a table, and the rules for its values.
public struct TableColumn: Hashable, Sendable {
    /// A value that the server sets in a column on every insert.
    ///
    /// Clients cannot write the column.
    public enum Source: String, CaseIterable, Sendable {
        /// The user's id.
        case oid
        /// The time of the insert.
        case now
        case uuid

        /// The type of a column with this source.
        public var type: ColumnType {
            switch self {
            case .oid, .uuid: .string
            case .now: .date
            }
        }
    }

    /// The default maximum length of a string, in characters.
    public static let defaultMaxLength = 1_000_000

    /// The column's name, which is case-insensitive in requests.
    public let name: String
    /// The type of the column's values.
    public let type: ColumnType
    /// Whether the column rejects null, so that an insert can omit the column only if it has a default value.
    public var isRequired = false
    /// The value that an insert stores if it omits the column, or `nil` to store null.
    public var defaultValue: TableValue?
    /// The minimum length of a string, in characters.
    public var minLength = 0
    /// The maximum length of a string, in characters.
    public var maxLength = TableColumn.defaultMaxLength
    /// The pattern that the whole string must match, or `nil` for any string.
    public var pattern: Pattern?
    /// The smallest allowed number, or `nil` for no minimum.
    public var min: Double?
    /// The largest allowed number, or `nil` for no maximum.
    public var max: Double?
    /// The allowed values, or an empty array to allow all values.
    ///
    /// Null is always allowed unless ``isRequired`` is set.
    public var allowed: [TableValue] = []
    /// Whether only the server can write the column.
    public var isReadOnly = false
    /// The source of the value that the server sets in every insert, or `nil` if the client sets the value.
    public var source: Source?
    /// Whether only the server can set the column's values.
    public var isSetByServer: Bool { isReadOnly || source != nil }
    /// The message in the response if a value violates a rule, or `nil` for the default message.
    public var message: String?

    /// Creates a column without rules.
    public init(_ name: String, _ type: ColumnType) {
        self.name = name
        self.type = type
    }

    /// Checks a value from a client's JSON, and returns the value to store.
    ///
    /// In a date column, a string is converted to a date.
    ///
    /// - Throws: ``TableProblem`` with the column's message, or with a message that describes the violated rule.
    public func checked(_ value: TableValue) throws(TableProblem) -> TableValue {
        let typed = try typed(value)
        switch typed {
        case .null:
            if isRequired { throw broken(.missing(name)) }
        case .string(let text):
            if text.unicodeScalars.count < minLength { throw broken(.tooShort(name, characters: minLength)) }
            if text.unicodeScalars.count > maxLength { throw broken(.tooLong(name, characters: maxLength)) }
            if let pattern, !pattern.matches(text) { throw broken(.otherForm(name, pattern: "\(pattern)")) }
        case .number(let number):
            if let min, number < min { throw broken(.tooSmall(name, least: min.plain)) }
            if let max, number > max { throw broken(.tooLarge(name, most: max.plain)) }
        case .boolean, .date:
            break
        }
        guard typed == .null || allowed.isEmpty || allowed.contains(typed) else {
            throw broken(.notAllowed(name, values: allowed.map(\.words).joined(separator: ", ")))
        }
        return typed
    }

    private func typed(_ value: TableValue) throws(TableProblem) -> TableValue {
        switch (type, value) {
        case (_, .null), (.string, .string), (.number, .number), (.boolean, .boolean): return value
        case (.date, .date(let milliseconds)) where TableDate.range.contains(milliseconds): return value
        case (.date, .string(let text)):
            guard let milliseconds = TableDate.milliseconds(text) else { throw broken(.notADate(name)) }
            return .date(milliseconds)
        case (.date, .date): throw broken(.notADate(name))
        default: throw broken(.wrongType(name, type))
        }
    }

    private func broken(_ rule: TableProblem.Reason) -> TableProblem {
        TableProblem(message.map(TableProblem.Reason.stated) ?? rule, column: name)
    }
}

extension TableValue {
    fileprivate var words: String {
        switch self {
        case .null: "null"
        case .boolean(let value): "\(value)"
        case .number(let value): value.plain
        case .string(let value): value
        case .date(let value): TableDate.text(value)
        }
    }
}

extension Double {
    fileprivate var plain: String { Int64(exactly: self).map { "\($0)" } ?? "\(self)" }
}
