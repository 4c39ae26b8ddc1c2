/// Builds expression trees during parsing, and throws an error before a tree exceeds the limits.
struct ExpressionBuilder {
    struct Node {
        var expression: QueryExpression
        var size: Size
        var depth: Int
        /// The positions of the tree's nodes in the parsed string, with each node before its operands.
        var positions: [Int]
        var replaces: Bool
        /// Whether the tree contains a `BETWEEN` condition, whose left operand occurs twice in the tree.
        var repeats: Bool

        var places: SourcePositions { SourcePositions(positions) }
    }

    struct Size {
        /// The number of nodes and list values.
        var parts = 0
        /// The number of bytes in strings and names.
        var bytes = 0

        static func + (a: Size, b: Size) -> Size { Size(parts: a.parts + b.parts, bytes: a.bytes + b.bytes) }

        init(_ expression: QueryExpression) {
            switch expression {
            case .literal(let value): self.init(parts: 1, bytes: value.bytes)
            case .column(let name): self.init(parts: 1, bytes: name.utf8.count)
            case .contained(_, let values):
                self.init(parts: 1 + values.count, bytes: values.reduce(0) { $0 + $1.bytes })
            case .call, .arithmetic, .negate, .compare, .and, .or, .not: self.init(parts: 1)
            }
        }

        init(parts: Int = 0, bytes: Int = 0) {
            self.parts = parts
            self.bytes = bytes
        }
    }

    let limits: QueryLimits
    private var total = Size()
    private var nesting = 0
    private var replaces = 0

    init(_ limits: QueryLimits) {
        self.limits = limits
    }

    mutating func node(
        _ expression: QueryExpression,
        at position: Int,
        over operands: [Node] = []
    ) throws(QueryProblem) -> Node {
        var size = Size(expression)
        try count(size, at: position)
        var depth = 0
        var positions = [position]
        var (replaces, repeats) = (false, false)
        for operand in operands {
            size = size + operand.size
            depth = max(depth, operand.depth)
            positions += operand.positions
            replaces = replaces || operand.replaces
            repeats = repeats || operand.repeats
        }
        guard depth < limits.depth else { throw tooDeep(position) }
        return Node(
            expression: expression,
            size: size,
            depth: depth + 1,
            positions: positions,
            replaces: replaces,
            repeats: repeats
        )
    }

    mutating func call(
        _ function: QueryFunction,
        _ arguments: [Node],
        at position: Int
    ) throws(QueryProblem) -> Node {
        if let reason = function.refusal(arguments.map(\.expression)) { throw QueryProblem(reason, at: position) }
        var node = try node(.call(function, arguments.map(\.expression)), at: position, over: arguments)
        if function == .replace {
            guard !node.replaces else { throw QueryProblem(.nestedReplace, at: position) }
            node.replaces = true
            replaces += 1
            guard replaces <= QueryFunction.maxReplaces else {
                throw QueryProblem(.tooManyReplaces(QueryFunction.maxReplaces), at: position)
            }
        }
        return node
    }

    /// Adds `more` to the size of the expression, and throws an error if the size exceeds the limits.
    ///
    /// A subtree that occurs twice is counted twice.
    mutating func count(_ more: Size, at position: Int) throws(QueryProblem) {
        total = total + more
        try limits.check(total, at: position)
    }

    /// Records the start of parentheses, a call or a unary operator at `position`, and checks the nesting limit.
    mutating func enter(at position: Int) throws(QueryProblem) {
        nesting += 1
        guard nesting <= limits.nesting else { throw tooDeep(position) }
    }

    mutating func leave() {
        nesting -= 1
    }

    private func tooDeep(_ position: Int) -> QueryProblem {
        QueryProblem(.tooDeep(limits.depth), at: position)
    }
}

extension QueryLimits {
    func check(_ size: ExpressionBuilder.Size, at position: Int? = nil) throws(QueryProblem) {
        guard size.parts <= nodes else { throw QueryProblem(.tooManyParts(nodes), at: position) }
        guard size.bytes <= length else {
            throw QueryProblem(.tooMuchText(bytes: length), at: position)
        }
    }
}

extension QueryLiteral {
    fileprivate var bytes: Int {
        if case .string(let text) = self { text.utf8.count } else { 0 }
    }
}

extension QueryFunction {
    /// Returns why this function cannot be called with `arguments`, or `nil` if it can.
    ///
    /// The types of the arguments are not checked, except that the third argument of `replace` must be a short string.
    func refusal(_ arguments: [QueryExpression]) -> QueryProblem.Reason? {
        guard arity.contains(arguments.count) else { return .parameters(self) }
        guard self == .replace else { return nil }
        guard case .literal(.string(let text)) = arguments[2], text.unicodeScalars.count <= Self.maxReplacement else {
            return .replacement(characters: Self.maxReplacement)
        }
        return nil
    }
}
