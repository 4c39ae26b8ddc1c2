import Tables

/// Translates an expression into SQL, from the leaves to the root.
///
/// Each step throws an error as soon as its SQL is too long or too deeply nested.
struct ExpressionSQL {
    struct Value {
        var sql: SQLFragment
        var kind: ValueKind
        /// Whether the SQL is a condition, which some databases do not accept as a value.
        var isCondition = false
        /// The maximum number of tokens that an SQL parser has on its stack while it parses the SQL.
        var depth: Int
        var literal: QueryLiteral?
    }

    /// The maximum number of tokens on the parser's stack for one expression, below SQLite's 100 for a whole statement.
    static let maxDepth = 72
    /// The maximum length of the SQL for one expression, in bytes.
    static let maxLength = 128 * 1024
    /// The maximum number of operands in a chain of `and` or `or`, each of which adds a nesting level.
    static let maxChain = 100

    private let columns: ColumnNames
    private let places: SourcePositions
    private let option: String
    private var visited = 0

    init(_ columns: ColumnNames, _ places: SourcePositions, option: String) {
        self.columns = columns
        self.places = places
        self.option = option
    }

    mutating func condition(_ expression: QueryExpression) throws(QueryProblem) -> Value {
        let place = places[visited]
        let value = try written(expression)
        if value.isCondition { return try bounded(value, place) }
        switch (value.kind, value.literal) {
        case (_, .boolean(let truth)): return .condition(SQLFragment(truth ? "(1 = 1)" : "(1 = 0)"), depth: 4)
        case (.null, _): return .condition(SQLFragment("(1 = NULL)"), depth: 4)
        case (.truth, _): return try bounded(.condition("(" + value.sql + " = 1)", depth: value.depth + 3), place)
        default: throw problem(.notACondition(value.kind.said), place)
        }
    }

    mutating func value(_ expression: QueryExpression) throws(QueryProblem) -> Value {
        let place = places[visited]
        let value = try written(expression)
        guard value.isCondition else { return try bounded(value, place) }
        let sql = "CAST(" + value.sql + " AS INTEGER)"
        return try bounded(Value(sql: sql, kind: .truth, depth: value.depth + 2), place)
    }

    private func bounded(_ value: Value, _ place: Int?) throws(QueryProblem) -> Value {
        guard value.depth <= Self.maxDepth else { throw problem(.statementTooDeep, place) }
        guard value.sql.length <= Self.maxLength else { throw problem(.statementTooLong, place) }
        return value
    }

    private mutating func written(_ expression: QueryExpression) throws(QueryProblem) -> Value {
        let place = places[visited]
        visited += 1
        switch expression {
        case .literal(let literal): return .literal(literal)
        case .column(let name):
            guard let column = try columns.find(name, at: place, option: option) else {
                // A column that no write has added yet is null in every row. Unlike a comparison with the literal
                // `null`, a comparison with this value is never true.
                return Value(sql: SQLFragment("NULL"), kind: .null, depth: 1)
            }
            return Value(sql: SQLFragment(column.sql), kind: ValueKind(column.type), depth: 3)
        case .call(let function, let arguments): return try call(function, arguments, place)
        case .arithmetic(let operation, let left, let right):
            return try arithmetic(operation, try value(left), try value(right), place)
        case .negate(let operand):
            let value = try number(try value(operand), place)
            return Value(sql: "(- " + value.sql + ")", kind: .number, depth: value.depth + 2)
        case .compare(let comparison, let left, let right):
            return try compare(comparison, try value(left), try value(right), place)
        case .and(let operands): return try chain(operands, " AND ")
        case .or(let operands): return try chain(operands, " OR ")
        case .not(let operand):
            let value = try condition(operand)
            return .condition("(NOT " + value.sql + ")", depth: value.depth + 2)
        case .contained(let operand, let values): return try contained(try value(operand), values, place)
        }
    }

    private func problem(_ reason: QueryProblem.Reason, _ place: Int?) -> QueryProblem {
        QueryProblem(reason, at: place, option: option)
    }

    // MARK: Conditions

    /// Translates a chain of `and` or `or` in groups, because the database would nest a long chain too deeply.
    private mutating func chain(_ operands: [QueryExpression], _ word: String) throws(QueryProblem) -> Value {
        var values: [Value] = []
        for operand in operands { values.append(try condition(operand)) }
        // The deepest operand comes first, where it needs the least space on the parser's stack.
        values.sort { $0.depth > $1.depth }
        while values.count > Self.maxChain {
            values = stride(from: 0, to: values.count, by: Self.maxChain).map { start in
                Self.joined(values[start..<min(start + Self.maxChain, values.count)], word)
            }
        }
        return Self.joined(values[...], word)
    }

    private static func joined(_ values: ArraySlice<Value>, _ word: String) -> Value {
        let first = (values.first?.depth ?? 0) + 1
        let depth = values.dropFirst().reduce(first) { max($0, $1.depth + 3) }
        return .condition("(" + .joined(values.map(\.sql), by: word) + ")", depth: depth)
    }

    private func compare(
        _ comparison: QueryExpression.Comparison,
        _ left: Value,
        _ right: Value,
        _ place: Int?
    ) throws(QueryProblem) -> Value {
        if left.literal == .null || right.literal == .null {
            let other = right.literal == .null ? left : right
            switch comparison {
            case .equal: return .condition("(" + other.sql + " IS NULL)", depth: other.depth + 3)
            case .notEqual: return .condition("(" + other.sql + " IS NOT NULL)", depth: other.depth + 3)
            default: return .condition(SQLFragment("(1 = NULL)"), depth: 4)
            }
        }
        let (left, right) = try meeting(left, right, place)
        return .binary(left, comparison.sql, right)
    }

    /// Converts two values to a common kind, so that they can be compared.
    private func meeting(_ left: Value, _ right: Value, _ place: Int?) throws(QueryProblem) -> (Value, Value) {
        if left.kind == right.kind || left.kind == .null || right.kind == .null { return (left, right) }
        if let literal = right.literal?.converted(to: left.kind) { return (left, .literal(literal)) }
        if let literal = left.literal?.converted(to: right.kind) { return (.literal(literal), right) }
        throw problem(.notComparable(left.kind.said, right.kind.said), place)
    }

    private func contained(
        _ value: Value,
        _ values: [QueryLiteral],
        _ place: Int?
    ) throws(QueryProblem) -> Value {
        var converted: [SQLFragment] = []
        for literal in values where literal != .null {
            let (_, right) = try meeting(value, .literal(literal), place)
            converted.append(right.sql)
        }
        // The parser's stack is deepest while it reads either the value or the start of the list.
        let depth = max(value.depth + 2, 10)
        if converted.isEmpty { return .condition("(" + value.sql + " IS NULL)", depth: depth) }
        let list = "(" + value.sql + " IN (" + .joined(converted, by: ", ") + "))"
        // The SQL list omits `null`, so `IN` is unknown only for a null value. It matches if `values` contains `null`.
        return .condition(values.contains(.null) ? "(" + list + " IS NOT FALSE)" : list, depth: depth)
    }

    // MARK: Numbers

    private func number(_ value: Value, _ place: Int?) throws(QueryProblem) -> Value {
        guard value.kind == .number || value.kind == .null else {
            throw problem(.notCalculable(value.kind.said), place)
        }
        return value
    }

    private func arithmetic(
        _ operation: QueryExpression.Arithmetic,
        _ left: Value,
        _ right: Value,
        _ place: Int?
    ) throws(QueryProblem) -> Value {
        let left = try number(left, place)
        let right = try number(right, place)
        let sign: String
        switch operation {
        case .add: sign = "+"
        case .subtract: sign = "-"
        case .multiply: sign = "*"
        case .divide: sign = "/"
        case .modulo: return .call(SQLFunction.modulo, [left, right], .number)
        }
        var value = Value.binary(left, sign, right)
        value.kind = .number
        value.isCondition = false
        return value
    }

    // MARK: Functions

    private mutating func call(
        _ function: QueryFunction,
        _ arguments: [QueryExpression],
        _ place: Int?
    ) throws(QueryProblem) -> Value {
        var values: [Value] = []
        for (index, argument) in arguments.enumerated() {
            let value = try value(argument)
            let wanted = function.parameter(index)
            if case .dateBetween(let milliseconds)? = value.literal?.converted(to: wanted) {
                values.append(.literal(.date(milliseconds)))
            } else if value.kind == wanted || value.kind == .null {
                values.append(value)
            } else if let literal = value.literal?.converted(to: wanted) {
                values.append(.literal(literal))
            } else {
                throw problem(.parameterType(function, wanted: wanted.said, given: value.kind.said), place)
            }
        }
        return function.sql(values)
    }
}

extension ExpressionSQL.Value {
    static func literal(_ literal: QueryLiteral) -> Self {
        let sql = literal == .null ? SQLFragment("NULL") : SQLFragment(literal.sqlValue)
        return Self(sql: sql, kind: ValueKind(literal), depth: 1, literal: literal)
    }

    static func condition(_ sql: SQLFragment, depth: Int) -> Self {
        Self(sql: sql, kind: .truth, isCondition: true, depth: depth)
    }

    /// Returns the SQL for the operator `sign` with two operands, marked as a condition.
    static func binary(_ left: Self, _ sign: String, _ right: Self) -> Self {
        let sql = "(" + left.sql + " \(sign) " + right.sql + ")"
        return .condition(sql, depth: max(left.depth + 1, right.depth + 3))
    }

    static func call(_ name: String, _ arguments: [Self], _ kind: ValueKind) -> Self {
        let sql = "\(name)(" + .joined(arguments.map(\.sql), by: ", ") + ")"
        let depth = arguments.enumerated().map { $0.element.depth + ($0.offset == 0 ? 3 : 5) }.max() ?? 0
        return Self(sql: sql, kind: kind, depth: depth)
    }
}

extension QueryExpression.Comparison {
    fileprivate var sql: String {
        switch self {
        case .equal: "="
        case .notEqual: "<>"
        case .greater: ">"
        case .greaterOrEqual: ">="
        case .less: "<"
        case .lessOrEqual: "<="
        }
    }
}
