/// A column of a table, and the rules of its values.
public struct TableColumn: Hashable, Sendable {
    /// A value that the server makes, whatever the client sends.
    public enum Source: String, CaseIterable, Sendable {
        /// The caller's id.
        case oid
        /// The time of the write.
        case now
        /// A new UUID.
        case uuid

        /// The type of the columns that it is for.
        public var type: ColumnType {
            switch self {
            case .oid, .uuid: .string
            case .now: .date
            }
        }
    }

    /// Longest text in characters where the configuration says nothing; a body, which has 1 MiB, can carry it in ASCII.
    public static let defaultMaxLength = 1_000_000

    /// The name as answered; requests may spell it in any case.
    public let name: String
    /// The type of its values.
    public let type: ColumnType
    /// An insert without it, and every null, is refused.
    public var isRequired = false
    /// The value of an insert that does not name it; nil for null.
    public var defaultValue: TableValue?
    /// Fewest characters of a text.
    public var minLength = 0
    /// Most characters of a text.
    public var maxLength = TableColumn.defaultMaxLength
    /// The form of the whole text.
    public var pattern: Pattern?
    /// Smallest number.
    public var min: Double?
    /// Largest number.
    public var max: Double?
    /// The only values that are allowed besides null; empty allows all.
    public var allowed: [TableValue] = []
    /// Clients cannot write it.
    public var isReadOnly = false
    /// The value that the server sets at every insert.
    public var source: Source?
    /// The sentence that is answered when a rule is broken.
    public var message: String?

    /// A column without rules.
    public init(_ name: String, _ type: ColumnType) {
        self.name = name
        self.type = type
    }

    /// Turns what a client sent into what this column holds.
    ///
    /// - Parameter value: As it stood in the request's JSON; dates are texts there.
    /// - Returns: The value to store.
    /// - Throws: ``TableProblem`` with the column's message, or with a sentence that says which rule was broken.
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
    /// Without a fraction that is zero.
    fileprivate var plain: String { Int64(exactly: self).map { "\($0)" } ?? "\(self)" }
}
