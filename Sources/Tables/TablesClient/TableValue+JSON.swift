public import OAuth
public import Tables

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
