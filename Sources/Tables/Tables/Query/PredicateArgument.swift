public import Foundation

/// A value that can stand for `%@` in a predicate.
public protocol PredicateArgument: Sendable {
    /// The value, or the values of a list.
    var predicateValue: PredicateValue { get }
}

/// The value of a predicate's argument.
public enum PredicateValue: Hashable, Sendable {
    /// One value.
    case one(QueryLiteral)
    /// The values of a list, for `IN` and `BETWEEN`.
    case list([QueryLiteral])
}

extension String: PredicateArgument {
    /// The text.
    public var predicateValue: PredicateValue { .one(.string(self)) }
}

extension Bool: PredicateArgument {
    /// The truth value.
    public var predicateValue: PredicateValue { .one(.boolean(self)) }
}

extension Int: PredicateArgument {
    /// The whole number.
    public var predicateValue: PredicateValue { .one(.integer(Int64(self))) }
}

extension Int64: PredicateArgument {
    /// The whole number.
    public var predicateValue: PredicateValue { .one(.integer(self)) }
}

extension Double: PredicateArgument {
    /// The number.
    public var predicateValue: PredicateValue { .one(.real(self)) }
}

extension Date: PredicateArgument {
    /// The time in whole milliseconds, rounded down, as tables keep it.
    public var predicateValue: PredicateValue {
        let milliseconds = (timeIntervalSince1970 * 1000).rounded(.down)
        return .one(Int64(exactly: milliseconds).map(QueryLiteral.date) ?? .real(milliseconds))
    }
}

extension UUID: PredicateArgument {
    /// The text in lower case, as servers make ids.
    public var predicateValue: PredicateValue { .one(.string(uuidString.lowercased())) }
}

extension TableValue: PredicateArgument {
    /// The value of a cell.
    public var predicateValue: PredicateValue {
        switch self {
        case .null: .one(.null)
        case .boolean(let value): .one(.boolean(value))
        case .number(let value): .one(Int64(exactly: value).map(QueryLiteral.integer) ?? .real(value))
        case .string(let value): .one(.string(value))
        case .date(let value): .one(.date(value))
        }
    }
}

extension Optional: PredicateArgument where Wrapped: PredicateArgument {
    /// The value, or null.
    public var predicateValue: PredicateValue { self?.predicateValue ?? .one(.null) }
}

extension Array: PredicateArgument where Element: PredicateArgument {
    /// The values of a list; lists within it are taken apart.
    public var predicateValue: PredicateValue {
        .list(
            flatMap { element in
                switch element.predicateValue {
                case .one(let value): [value]
                case .list(let values): values
                }
            }
        )
    }
}
