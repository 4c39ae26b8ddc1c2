/// Checks that an expression built by a program is within the limits and can be written in OData's grammar.
///
/// The check does not use recursion, so a very deep expression does not overflow the stack.
struct ExpressionCheck {
    private struct Part {
        let expression: QueryExpression
        let depth: Int
        let isReplaced: Bool
    }

    let limits: QueryLimits

    func check(_ root: QueryExpression) throws(QueryProblem) {
        var rest = [Part(expression: root, depth: 1, isReplaced: false)]
        var size = ExpressionBuilder.Size()
        var replaces = 0
        while let part = rest.popLast() {
            guard part.depth <= limits.depth else { throw QueryProblem(.tooDeep(limits.depth)) }
            size = size + ExpressionBuilder.Size(part.expression)
            try limits.check(size)
            var isReplaced = part.isReplaced
            if case .call(.replace, _) = part.expression {
                guard !isReplaced else { throw QueryProblem(.nestedReplace) }
                isReplaced = true
                replaces += 1
                guard replaces <= QueryFunction.maxReplaces else {
                    throw QueryProblem(.tooManyReplaces(QueryFunction.maxReplaces))
                }
            }
            let operands = try operands(part.expression)
            // Operands are counted before they are visited, so the list of pending nodes stays short.
            try limits.check(size + ExpressionBuilder.Size(parts: rest.count + operands.count))
            rest += operands.map { Part(expression: $0, depth: part.depth + 1, isReplaced: isReplaced) }
        }
    }

    private func operands(_ expression: QueryExpression) throws(QueryProblem) -> [QueryExpression] {
        switch expression {
        case .literal(let value):
            try check(value)
            return []
        case .column(let name):
            guard FilterToken.isColumn(name) else { throw QueryProblem(.notAColumnName(String(name.prefix(64)))) }
            return []
        case .call(let function, let arguments):
            if let reason = function.refusal(arguments) { throw QueryProblem(reason) }
            return arguments
        case .arithmetic(_, let left, let right), .compare(_, let left, let right): return [left, right]
        case .negate(let operand), .not(let operand): return [operand]
        case .and(let operands), .or(let operands):
            guard operands.count > 1 else { throw QueryProblem(.fewConditions) }
            return operands
        case .contained(let value, let values):
            guard !values.isEmpty else { throw QueryProblem(.emptyList) }
            for value in values { try check(value) }
            return [value]
        }
    }

    func check(_ value: QueryLiteral) throws(QueryProblem) {
        switch value {
        case .real(let number):
            guard number.isFinite else { throw QueryProblem(.numberOutOfRange) }
        case .date(let milliseconds), .dateBetween(let milliseconds):
            guard TableDate.range.contains(milliseconds) else {
                throw QueryProblem(.dateOutOfRange)
            }
        case .null, .boolean, .integer, .string: break
        }
    }
}
