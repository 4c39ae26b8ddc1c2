/// Puts trees together while a text is read, and refuses what grows beyond the limits before it exists.
struct ExpressionBuilder {
    /// A tree, how deep it is and where its nodes stood.
    struct Node {
        var expression: QueryExpression
        var depth: Int
        /// One for each node, before those of its operands.
        var positions: [Int]
        /// Whether `replace` is called in it.
        var replaces: Bool

        var places: Places { Places(positions) }
    }

    let limits: QueryLimits
    private var count = 0
    private var nesting = 0
    private var replaces = 0

    init(_ limits: QueryLimits) {
        self.limits = limits
    }

    /// A node over its operands.
    mutating func node(
        _ expression: QueryExpression,
        at position: Int,
        over operands: [Node] = []
    ) throws(QueryProblem) -> Node {
        try count(1, at: position)
        var depth = 0
        var positions = [position]
        var replaces = false
        for operand in operands {
            depth = max(depth, operand.depth)
            positions += operand.positions
            replaces = replaces || operand.replaces
        }
        guard depth < limits.depth else { throw tooDeep(position) }
        return Node(expression: expression, depth: depth + 1, positions: positions, replaces: replaces)
    }

    /// A call, with its number of arguments checked.
    mutating func call(
        _ function: QueryFunction,
        _ arguments: [Node],
        at position: Int
    ) throws(QueryProblem) -> Node {
        if let message = function.refusal(arguments.map(\.expression)) { throw QueryProblem(message, at: position) }
        var node = try node(.call(function, arguments.map(\.expression)), at: position, over: arguments)
        if function == .replace {
            guard !node.replaces else { throw QueryProblem(QueryFunction.nestedReplace, at: position) }
            node.replaces = true
            replaces += 1
            guard replaces <= QueryFunction.maxReplaces else {
                throw QueryProblem(QueryFunction.manyReplaces, at: position)
            }
        }
        return node
    }

    /// Counts what is kept in a node, such as the values of a list.
    mutating func count(_ more: Int, at position: Int) throws(QueryProblem) {
        count += more
        guard count <= limits.nodes else {
            throw QueryProblem("has more than \(limits.nodes) parts", at: position)
        }
    }

    /// Goes into parentheses, a call or a sign.
    mutating func enter(at position: Int) throws(QueryProblem) {
        nesting += 1
        guard nesting <= limits.nesting else { throw tooDeep(position) }
    }

    /// Comes out again.
    mutating func leave() {
        nesting -= 1
    }

    private func tooDeep(_ position: Int) -> QueryProblem {
        QueryProblem("is nested deeper than \(limits.depth)", at: position)
    }
}

extension QueryFunction {
    static let nestedReplace = "Calls to 'replace' cannot be nested."
    static let manyReplaces = "'replace' cannot be called more than \(maxReplaces) times."

    /// What is wrong with the arguments of a call, apart from their types.
    func refusal(_ arguments: [QueryExpression]) -> String? {
        guard arity.contains(arguments.count) else {
            let least = arity.lowerBound
            let wanted = arity.count > 1 ? "\(least) or \(arity.upperBound)" : "\(least)"
            return "Function '\(rawValue)' requires \(wanted) parameter\(arity.upperBound == 1 ? "" : "s")."
        }
        guard self == .replace else { return nil }
        guard case .literal(.string(let text)) = arguments[2], text.unicodeScalars.count <= Self.maxReplacement else {
            return
                "The third parameter of 'replace' must be a constant text of at most \(Self.maxReplacement) characters."
        }
        return nil
    }
}
