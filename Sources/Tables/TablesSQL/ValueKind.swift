import FlowModel
import Tables

enum ValueKind: Hashable {
    case null
    case truth
    case number
    case text
    case date

    init(_ type: ColumnType) {
        switch type {
        case .string: self = .text
        case .number: self = .number
        case .boolean: self = .truth
        case .date: self = .date
        }
    }

    init(_ literal: QueryLiteral) {
        switch literal {
        case .null: self = .null
        case .boolean: self = .truth
        case .integer, .real: self = .number
        case .string: self = .text
        case .date, .dateBetween: self = .date
        }
    }

    var said: EnglishText {
        switch self {
        case .null: EnglishText(exactly: "null")
        case .truth: .init("a Boolean", "query.kind.truth")
        case .number: .init("a number", "query.kind.number")
        case .text: .init("a string", "query.kind.text")
        case .date: .init("a date", "query.kind.date")
        }
    }
}

extension QueryLiteral {
    var sqlValue: SQLValue {
        switch self {
        case .null: .null
        case .boolean(let value): .integer(value ? 1 : 0)
        case .integer(let value), .date(let value): .integer(value)
        case .dateBetween(let value): .real(Double(value) + 0.5)
        case .real(let value): .real(value)
        case .string(let text): .text(text)
        }
    }

    func converted(to kind: ValueKind) -> QueryLiteral? {
        switch (self, kind) {
        case (.null, _): self
        case (.string(let text), .date):
            QueryLiteral(date: text)
        case (.integer(0), .truth), (.real(0), .truth): .boolean(false)
        case (.integer(1), .truth), (.real(1), .truth): .boolean(true)
        default: ValueKind(self) == kind ? self : nil
        }
    }
}
