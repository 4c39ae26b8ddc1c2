/// Parses conditions and sort orders in OData's grammar.
///
/// The parser accepts the parts of OData version 3 that the protocol's clients use. From version 4, it accepts
/// `contains`, `in`, dates without a prefix, and `cast` of a date or a GUID. Keywords are case-insensitive.
///
/// The precedence levels, from lowest to highest, are `or`, `and`, comparisons and `in`, `add sub`, `mul div mod`, and
/// unary `-` and `not`, so `not a eq b` means `(not a) eq b`. Comparisons can be chained.
struct FilterParser {
    typealias Node = ExpressionBuilder.Node

    private enum Operation {
        case or
        case and
        case compare(QueryExpression.Comparison)
        case contained
        case arithmetic(QueryExpression.Arithmetic)

        init?(_ word: String) {
            switch word {
            case "or": self = .or
            case "and": self = .and
            case "in": self = .contained
            default:
                if let comparison = QueryExpression.Comparison(rawValue: word) {
                    self = .compare(comparison)
                } else if let arithmetic = QueryExpression.Arithmetic(rawValue: word) {
                    self = .arithmetic(arithmetic)
                } else {
                    return nil
                }
            }
        }

        var strength: Int {
            switch self {
            case .or: 1
            case .and: 2
            case .compare, .contained: 3
            case .arithmetic(.add), .arithmetic(.subtract): 4
            case .arithmetic: 5
            }
        }
    }

    private let tokens: [FilterToken]
    private let option: String
    private var index = 0
    private var builder: ExpressionBuilder

    init(_ text: String, option: String, limits: QueryLimits) throws(QueryProblem) {
        self.option = option
        builder = ExpressionBuilder(limits)
        do throws(QueryProblem) { tokens = try FilterTokenizer.tokens(text, limits: limits) } catch {
            throw error.of(option)
        }
    }

    mutating func whole() throws(QueryProblem) -> Node {
        do throws(QueryProblem) {
            let node = try expression()
            guard token.kind == .end else { throw unexpected() }
            return node
        } catch { throw error.of(option) }
    }

    mutating func order() throws(QueryProblem) -> [SortTerm] {
        var terms: [SortTerm] = []
        do throws(QueryProblem) {
            repeat {
                let node = try expression()
                let isDescending = word == "desc"
                if isDescending || word == "asc" { advance() }
                terms.append(SortTerm(node.expression, isDescending: isDescending, places: node.places))
                guard terms.count <= builder.limits.terms else {
                    throw QueryProblem(.tooManyTerms(builder.limits.terms), at: token.position)
                }
            } while skip(.comma)
            guard token.kind == .end else { throw unexpected() }
            return terms
        } catch { throw error.of(option) }
    }

    // MARK: Tokens

    private var token: FilterToken { tokens[index] }

    private var word: String? {
        if case .identifier(let name) = token.kind { name.lowercased() } else { nil }
    }

    private mutating func advance() {
        if index + 1 < tokens.count { index += 1 }
    }

    private mutating func skip(_ kind: FilterToken.Kind) -> Bool {
        guard token.kind == kind else { return false }
        advance()
        return true
    }

    private func unexpected() -> QueryProblem {
        QueryProblem(token.kind == .close ? .unbalancedParentheses : .syntaxError, at: token.position)
    }

    // MARK: Operators

    /// Parses an expression in which every operator has at least the precedence `weakest`.
    private mutating func expression(_ weakest: Int = 1) throws(QueryProblem) -> Node {
        var left = try unary()
        while let operation = word.flatMap(Operation.init), operation.strength >= weakest {
            left = try apply(operation, to: left)
        }
        return left
    }

    private mutating func apply(_ operation: Operation, to left: Node) throws(QueryProblem) -> Node {
        let position = token.position
        switch operation {
        case .or, .and:
            let operands = try chain(of: operation, after: left)
            let expressions = operands.map(\.expression)
            let isOr = operation.strength == Operation.or.strength
            return try builder.node(isOr ? .or(expressions) : .and(expressions), at: position, over: operands)
        case .contained:
            advance()
            let values = try list()
            return try builder.node(.contained(left.expression, values), at: position, over: [left])
        case .compare(let comparison):
            advance()
            let right = try expression(operation.strength + 1)
            let expression = QueryExpression.compare(comparison, left.expression, right.expression)
            return try builder.node(expression, at: position, over: [left, right])
        case .arithmetic(let arithmetic):
            advance()
            let right = try expression(operation.strength + 1)
            let expression = QueryExpression.arithmetic(arithmetic, left.expression, right.expression)
            return try builder.node(expression, at: position, over: [left, right])
        }
    }

    private mutating func chain(of operation: Operation, after left: Node) throws(QueryProblem) -> [Node] {
        var operands = [left]
        while word.flatMap(Operation.init)?.strength == operation.strength {
            advance()
            operands.append(try expression(operation.strength + 1))
        }
        return operands
    }

    // MARK: Operands

    private mutating func unary() throws(QueryProblem) -> Node {
        let position = token.position
        if word == "not" {
            try builder.enter(at: position)
            advance()
            let operand = try unary()
            builder.leave()
            return try builder.node(.not(operand.expression), at: position, over: [operand])
        }
        guard token.kind == .minus else { return try primary() }
        if case .number = tokens[index + 1].kind { return try builder.node(.literal(literal()), at: position) }
        try builder.enter(at: position)
        advance()
        let operand = try unary()
        builder.leave()
        return try builder.node(.negate(operand.expression), at: position, over: [operand])
    }

    private mutating func primary() throws(QueryProblem) -> Node {
        let position = token.position
        switch token.kind {
        case .open:
            try builder.enter(at: position)
            advance()
            let node = try expression()
            try close(from: position)
            builder.leave()
            return node
        case .identifier(let name):
            advance()
            guard token.kind == .open else { return try builder.node(.column(name), at: position) }
            return try call(name, at: position)
        case .number, .literal: return try builder.node(.literal(literal()), at: position)
        case .close, .comma, .minus, .end: throw unexpected()
        }
    }

    private mutating func call(_ name: String, at position: Int) throws(QueryProblem) -> Node {
        guard let function = QueryFunction(rawValue: name.lowercased()) else {
            throw QueryProblem(.unknownIdentifier(String(name.prefix(64))), at: position)
        }
        try builder.enter(at: position)
        let open = token.position
        advance()
        var arguments: [Node] = []
        if token.kind != .close {
            repeat { arguments.append(try expression()) } while skip(.comma)
        }
        try close(from: open)
        builder.leave()
        return try builder.call(function, arguments, at: position)
    }

    private mutating func close(from open: Int) throws(QueryProblem) {
        if token.kind == .end { throw QueryProblem(.unbalancedParentheses, at: open) }
        guard skip(.close) else { throw unexpected() }
    }

    private mutating func list() throws(QueryProblem) -> [QueryLiteral] {
        let open = token.position
        guard skip(.open) else { throw unexpected() }
        var values: [QueryLiteral] = []
        repeat { values.append(try literal()) } while skip(.comma)
        try close(from: open)
        return values
    }

    private mutating func literal() throws(QueryProblem) -> QueryLiteral {
        let position = token.position
        let isNegative = skip(.minus)
        switch token.kind {
        case .literal(let value) where !isNegative:
            advance()
            return value
        case .number(let digits):
            advance()
            guard let value = NumberText(digits, isNegative: isNegative).literal else {
                throw QueryProblem(.numberOutOfRange, at: position)
            }
            return value
        default: throw unexpected()
        }
    }
}
