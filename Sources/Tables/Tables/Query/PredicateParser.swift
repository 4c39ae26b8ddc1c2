/// Parses predicates in the format of `NSPredicate`, such as `complete == NO AND text CONTAINS[c] 'milk'`.
///
/// The precedence levels of the operators, from lowest to highest, are `OR ||`, then `AND &&`, then `NOT !`, then
/// comparisons, then `+ -`, then `* /`, then unary `-`. Therefore, `NOT a == b` means `NOT (a == b)`.
struct PredicateParser {
    typealias Node = ExpressionBuilder.Node

    private static let comparisons: [String: QueryExpression.Comparison] = [
        "=": .equal, "==": .equal, "!=": .notEqual, "<>": .notEqual, "<": .less, "<=": .lessOrEqual, "=<": .lessOrEqual,
        ">": .greater, ">=": .greaterOrEqual, "=>": .greaterOrEqual,
    ]
    /// Predicate keywords that have no equivalent in table queries, in upper case.
    private static let untranslatable: Set<String> = [
        "MATCHES", "LIKE", "ANY", "ALL", "SOME", "NONE", "SUBQUERY", "SELF", "CAST", "FUNCTION",
    ]

    private let tokens: [PredicateToken]
    private var index = 0
    private var builder: ExpressionBuilder
    private var arguments: PredicateArguments

    init(_ text: String, _ arguments: [PredicateValue], limits: QueryLimits) throws(QueryProblem) {
        builder = ExpressionBuilder(limits)
        self.arguments = PredicateArguments(arguments, limits)
        do throws(QueryProblem) { tokens = try PredicateTokenizer.tokens(text, limits: limits) } catch {
            throw error.ofPredicate
        }
    }

    mutating func whole() throws(QueryProblem) -> Node {
        do throws(QueryProblem) {
            let node = try alternatives()
            guard token.kind == .end else { throw unexpected() }
            try arguments.end(at: token.position)
            return node
        } catch { throw error.ofPredicate }
    }

    // MARK: Tokens

    private var token: PredicateToken { tokens[index] }

    private var word: String? {
        if case .word(let word) = token.kind { word.uppercased() } else { nil }
    }

    private mutating func advance() {
        if index + 1 < tokens.count { index += 1 }
    }

    private mutating func skip(_ signs: String...) -> Bool {
        guard case .sign(let sign) = token.kind, signs.contains(sign) else { return false }
        advance()
        return true
    }

    private mutating func skip(word wanted: String) -> Bool {
        guard word == wanted else { return false }
        advance()
        return true
    }

    private func unexpected() -> QueryProblem {
        if let word, Self.untranslatable.contains(word) {
            return QueryProblem(.untranslatable(word), at: token.position)
        }
        return QueryProblem(
            token.kind == .sign(")") ? .unbalancedParentheses : .syntaxError,
            at: token.position
        )
    }

    // MARK: Conditions

    private mutating func alternatives() throws(QueryProblem) -> Node {
        let first = try conjunction()
        let position = token.position
        var operands = [first]
        while skip("||") || skip(word: "OR") { operands.append(try conjunction()) }
        guard operands.count > 1 else { return first }
        return try builder.node(.or(operands.map(\.expression)), at: position, over: operands)
    }

    private mutating func conjunction() throws(QueryProblem) -> Node {
        let first = try negation()
        let position = token.position
        var operands = [first]
        while skip("&&") || skip(word: "AND") { operands.append(try negation()) }
        guard operands.count > 1 else { return first }
        return try builder.node(.and(operands.map(\.expression)), at: position, over: operands)
    }

    private mutating func negation() throws(QueryProblem) -> Node {
        let position = token.position
        guard skip("!") || skip(word: "NOT") else { return try comparison() }
        try builder.enter(at: position)
        let operand = try negation()
        builder.leave()
        return try builder.node(.not(operand.expression), at: position, over: [operand])
    }

    private mutating func comparison() throws(QueryProblem) -> Node {
        let left = try sum()
        let position = token.position
        if case .sign(let sign) = token.kind, let comparison = Self.comparisons[sign] {
            advance()
            let folds = try modifier()
            let right = try sum()
            return try compare(comparison, left, right, folds, position)
        }
        switch word {
        case "IN":
            advance()
            return try contained(left, position)
        case "BETWEEN":
            advance()
            return try between(left, position)
        case "CONTAINS": return try textual(.substringof, left, position)
        case "BEGINSWITH": return try textual(.startswith, left, position)
        case "ENDSWITH": return try textual(.endswith, left, position)
        default: return left
        }
    }

    private mutating func compare(
        _ comparison: QueryExpression.Comparison,
        _ left: Node,
        _ right: Node,
        _ folds: Bool,
        _ position: Int
    ) throws(QueryProblem) -> Node {
        let (left, right) = folds ? (try lowered(left), try lowered(right)) : (left, right)
        let expression = QueryExpression.compare(comparison, left.expression, right.expression)
        return try builder.node(expression, at: position, over: [left, right])
    }

    /// Parses `CONTAINS` or a similar operator, and compares both sides in lower case if the modifier `[c]` follows.
    private mutating func textual(
        _ function: QueryFunction,
        _ left: Node,
        _ position: Int
    ) throws(QueryProblem) -> Node {
        advance()
        let folds = try modifier()
        let right = try sum()
        let (text, part) = folds ? (try lowered(left), try lowered(right)) : (left, right)
        return try builder.call(function, function == .substringof ? [part, text] : [text, part], at: position)
    }

    private mutating func lowered(_ node: Node) throws(QueryProblem) -> Node {
        if case .literal(.null) = node.expression { return node }
        return try builder.call(.tolower, [node], at: node.positions[0])
    }

    private mutating func contained(_ left: Node, _ position: Int) throws(QueryProblem) -> Node {
        let folds = try modifier()
        let values = try list()
        guard !values.isEmpty else { return try builder.node(.literal(.boolean(false)), at: position) }
        guard folds else { return try builder.node(.contained(left.expression, values), at: position, over: [left]) }
        let left = try lowered(left)
        let lower = values.map { value in
            if case .string(let text) = value { QueryLiteral.string(text.lowercased()) } else { value }
        }
        return try builder.node(.contained(left.expression, lower), at: position, over: [left])
    }

    private mutating func between(_ left: Node, _ position: Int) throws(QueryProblem) -> Node {
        let start = token.position
        let values = try list()
        guard values.count == 2 else { throw QueryProblem(.betweenWithoutTwo, at: start) }
        // The operand on the left occurs twice in the tree, so nested BETWEEN operators would make the tree grow
        // exponentially.
        guard !left.repeats else { throw QueryProblem(.nestedBetween, at: position) }
        try builder.count(left.size, at: position)
        let low = try builder.node(.literal(values[0]), at: start)
        let high = try builder.node(.literal(values[1]), at: start)
        let bounds = [
            try compare(.greaterOrEqual, left, low, false, position),
            try compare(.lessOrEqual, left, high, false, position),
        ]
        var node = try builder.node(.and(bounds.map(\.expression)), at: position, over: bounds)
        node.repeats = true
        return node
    }

    /// Consumes the modifier `[c]` (ignore case) if it is the next token, and returns whether the modifier was present.
    private mutating func modifier() throws(QueryProblem) -> Bool {
        guard case .modifier(let letters) = token.kind else { return false }
        guard letters.lowercased() == "c" else {
            throw QueryProblem(.unknownModifier(String(letters.prefix(8))), at: token.position)
        }
        advance()
        return true
    }

    // MARK: Values

    private mutating func sum() throws(QueryProblem) -> Node {
        try operation(["+": .add, "-": .subtract]) { parser throws(QueryProblem) in
            try parser.operation(["*": .multiply, "/": .divide]) { parser throws(QueryProblem) in try parser.value() }
        }
    }

    private mutating func operation(
        _ signs: [String: QueryExpression.Arithmetic],
        _ operand: (inout PredicateParser) throws(QueryProblem) -> Node
    ) throws(QueryProblem) -> Node {
        var left = try operand(&self)
        while case .sign(let sign) = token.kind, let arithmetic = signs[sign] {
            let position = token.position
            advance()
            let right = try operand(&self)
            let expression = QueryExpression.arithmetic(arithmetic, left.expression, right.expression)
            left = try builder.node(expression, at: position, over: [left, right])
        }
        return left
    }

    private mutating func value() throws(QueryProblem) -> Node {
        let position = token.position
        if case .sign("-") = token.kind {
            if case .number = tokens[index + 1].kind { return try builder.node(.literal(literal()), at: position) }
            try builder.enter(at: position)
            advance()
            let operand = try value()
            builder.leave()
            return try builder.node(.negate(operand.expression), at: position, over: [operand])
        }
        if skip("(") {
            try builder.enter(at: position)
            let node = try alternatives()
            if token.kind == .end { throw QueryProblem(.unbalancedParentheses, at: position) }
            guard skip(")") else { throw unexpected() }
            builder.leave()
            return node
        }
        switch token.kind {
        case .name(let name):
            advance()
            return try column(name, position)
        case .word(let name):
            if let literal = Self.constant(name) {
                advance()
                return try builder.node(.literal(literal), at: position)
            }
            guard !isOperator else { throw unexpected() }
            advance()
            if case .sign("(") = token.kind {
                throw QueryProblem(.unknownIdentifier(String(name.prefix(64))), at: position)
            }
            return try column(name, position)
        case .argument("K"):
            advance()
            return try column(try arguments.name(at: position), position)
        default: return try builder.node(.literal(literal()), at: position)
        }
    }

    private var isOperator: Bool {
        guard let word else { return false }
        let operators = ["AND", "OR", "NOT", "IN", "BETWEEN", "CONTAINS", "BEGINSWITH", "ENDSWITH"]
        return operators.contains(word) || Self.untranslatable.contains(word)
    }

    private static func constant(_ word: String) -> QueryLiteral? {
        switch word.uppercased() {
        case "YES", "TRUE", "TRUEPREDICATE": .boolean(true)
        case "NO", "FALSE", "FALSEPREDICATE": .boolean(false)
        case "NULL", "NIL": .null
        default: nil
        }
    }

    private mutating func column(_ name: String, _ position: Int) throws(QueryProblem) -> Node {
        guard FilterToken.isColumn(name) else {
            throw QueryProblem(.notAColumnName(String(name.prefix(64))), at: position)
        }
        return try builder.node(.column(name), at: position)
    }

    private mutating func literal() throws(QueryProblem) -> QueryLiteral {
        let position = token.position
        switch token.kind {
        case .string(let text):
            advance()
            return .string(text)
        case .argument(let letters):
            advance()
            return try arguments.value(letters, at: position)
        case .word(let name):
            guard let value = Self.constant(name) else { throw unexpected() }
            advance()
            return value
        case .sign, .number:
            let isNegative = skip("-")
            guard case .number(let digits) = token.kind else { throw unexpected() }
            advance()
            guard let value = NumberText(digits, isNegative: isNegative).literal else {
                throw QueryProblem(.numberOutOfRange, at: position)
            }
            return value
        case .name, .modifier, .end: throw unexpected()
        }
    }

    /// Parses a list of values: `{a, b}`, `(a, b)`, or a placeholder for a list argument.
    private mutating func list() throws(QueryProblem) -> [QueryLiteral] {
        let position = token.position
        if case .argument("@") = token.kind {
            advance()
            return try arguments.list(at: position)
        }
        let end: String
        if skip("{") { end = "}" } else if skip("(") { end = ")" } else { throw unexpected() }
        if skip(end) { return [] }
        var values: [QueryLiteral] = []
        repeat { values.append(try literal()) } while skip(",")
        guard skip(end) else { throw unexpected() }
        return values
    }
}

extension QueryProblem {
    fileprivate var ofPredicate: QueryProblem {
        QueryProblem(reason, at: position, option: option, code: QueryProblem.predicateCode)
    }
}
