/// The type of a column's values.
public enum ColumnType: String, CaseIterable, Sendable {
    /// A text.
    case string
    /// A number.
    case number
    /// A truth value.
    case boolean
    /// A point in time with milliseconds.
    case date
}

extension ColumnType {
    /// The type of a column that a row makes with `value`; nil for null, which has none.
    ///
    /// A text is a date if it is one with a time of day in UTC, as every client of the protocol writes dates.
    public init?(of value: TableValue) {
        switch value {
        case .null: return nil
        case .boolean: self = .boolean
        case .number: self = .number
        case .date: self = .date
        case .string(let text):
            let isDate = text.hasSuffix("Z") && text.contains("T") && TableDate.milliseconds(text) != nil
            self = isDate ? .date : .string
        }
    }
}
