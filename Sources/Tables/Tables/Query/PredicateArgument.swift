public import Foundation

/// A value that can replace the placeholder `%@` in a predicate.
public protocol PredicateArgument: Sendable {
    /// The argument's value, or its values if the argument is a list.
    var predicateValue: PredicateValue { get }
}

/// The value or values of a predicate argument.
public enum PredicateValue: Hashable, Sendable {
    case one(QueryLiteral)
    /// The values of a list, for `IN` and `BETWEEN`.
    case list([QueryLiteral])
}

extension String: PredicateArgument {
    /// The string as a literal.
    public var predicateValue: PredicateValue { .one(.string(self)) }
}

extension Bool: PredicateArgument {
    /// The Boolean as a literal.
    public var predicateValue: PredicateValue { .one(.boolean(self)) }
}

extension Int: PredicateArgument {
    /// The whole number as a literal.
    public var predicateValue: PredicateValue { .one(.integer(Int64(self))) }
}

extension Int64: PredicateArgument {
    /// The whole number as a literal.
    public var predicateValue: PredicateValue { .one(.integer(self)) }
}

extension Double: PredicateArgument {
    /// The number as a literal.
    public var predicateValue: PredicateValue { .one(.real(self)) }
}

extension Date: PredicateArgument {
    /// The date in whole milliseconds, rounded down, as stored in tables.
    public var predicateValue: PredicateValue {
        let milliseconds = (timeIntervalSince1970 * 1000).rounded(.down)
        return .one(Int64(exactly: milliseconds).map(QueryLiteral.date) ?? .real(milliseconds))
    }
}

extension UUID: PredicateArgument {
    /// The UUID as a string in lower case, like the ids that servers create.
    public var predicateValue: PredicateValue { .one(.string(uuidString.lowercased())) }
}

extension TableValue: PredicateArgument {
    /// The cell's value as a literal.
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
    /// The wrapped value, or null.
    public var predicateValue: PredicateValue { self?.predicateValue ?? .one(.null) }
}

extension Array: PredicateArgument where Element: PredicateArgument {
    /// The values of the list, with nested lists flattened.
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

/// The arguments of a predicate, consumed in order and never parsed as part of the predicate.
struct PredicateArguments {
    private let values: [PredicateValue]
    private let check: ExpressionCheck
    private var index = 0

    init(_ values: [PredicateValue], _ limits: QueryLimits) {
        self.values = values
        check = ExpressionCheck(limits: limits)
    }

    /// Returns the next argument, which replaces a placeholder that consists of `%` and `letters`.
    mutating func value(_ letters: String, at position: Int) throws(QueryProblem) -> QueryLiteral {
        guard case .one(let value) = try next(position) else {
            throw QueryProblem(.argumentIsList(letters), at: position)
        }
        let fits =
            switch (letters, value) {
            case ("@", _): true
            case ("d", .integer), ("i", .integer), ("u", .integer): true
            case ("ld", .integer), ("lld", .integer), ("lu", .integer), ("llu", .integer): true
            case ("f", .real), ("f", .integer), ("g", .real), ("g", .integer), ("lf", .real), ("lf", .integer): true
            default: false
            }
        guard fits else {
            let kinds = ["@", "K", "d", "i", "u", "ld", "lld", "lu", "llu", "f", "lf", "g"]
            guard kinds.contains(letters) else {
                throw QueryProblem(.unknownPlaceholder(String(letters.prefix(8))), at: position)
            }
            throw QueryProblem(.argumentOfOtherKind(letters), at: position)
        }
        try checked(value, position)
        return value
    }

    /// Returns the values of the next argument, which must be a list and replaces the placeholder `%@`.
    mutating func list(at position: Int) throws(QueryProblem) -> [QueryLiteral] {
        guard case .list(let values) = try next(position) else {
            throw QueryProblem(.argumentIsNoList, at: position)
        }
        for value in values { try checked(value, position) }
        return values
    }

    /// Returns the next argument, which must be a column name and replaces the placeholder `%K`.
    mutating func name(at position: Int) throws(QueryProblem) -> String {
        guard case .one(.string(let name)) = try next(position) else {
            throw QueryProblem(.argumentIsNoName, at: position)
        }
        return name
    }

    func end(at position: Int) throws(QueryProblem) {
        guard index == values.count else {
            throw QueryProblem(.argumentCount(values.count, placeholders: index), at: position)
        }
    }

    private mutating func next(_ position: Int) throws(QueryProblem) -> PredicateValue {
        guard index < values.count else { throw QueryProblem(.argumentMissing, at: position) }
        index += 1
        return values[index - 1]
    }

    private func checked(_ value: QueryLiteral, _ position: Int) throws(QueryProblem) {
        do throws(QueryProblem) { try check.check(value) } catch { throw QueryProblem(error.reason, at: position) }
    }
}
