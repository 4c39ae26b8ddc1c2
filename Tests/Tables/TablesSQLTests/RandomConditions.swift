import Tables
import TestSupport

/// A generator of random conditions on the columns of ``SampleTable``.
///
/// The operands of each condition have matching types.
struct RandomConditions {
    private var random: SeededGenerator

    init(seed: UInt64) {
        random = SeededGenerator(seed: seed)
    }

    mutating func condition(_ depth: Int) -> QueryExpression {
        if depth <= 1 {
            return random.pick([
                .column("done"), .column("DONE"), .literal(.boolean(true)), .literal(.boolean(false)), .literal(.null),
                .compare(.equal, .column("text"), .literal(.null)),
                .compare(.notEqual, .literal(.null), .column("due")),
            ])
        }
        switch random.below(14) {
        case 0, 1: return .and((0..<(2 + random.below(2))).map { _ in condition(depth - 1) })
        case 2, 3: return .or((0..<(2 + random.below(2))).map { _ in condition(depth - 1) })
        case 4, 5: return .not(condition(depth - 1))
        case 6, 7: return .compare(comparison(), number(depth - 1), number(depth - 1))
        case 8, 9: return .compare(comparison(), text(depth - 1), text(depth - 1))
        case 10: return .compare(comparison(), date(), date())
        case 11: return .compare(comparison(), condition(depth - 1), condition(depth - 1))
        case 12:
            let functions: [QueryFunction] = [.substringof, .startswith, .endswith, .contains]
            return .call(random.pick(functions), [text(depth - 1), text(depth - 1)])
        default: return contained(depth)
        }
    }

    private mutating func comparison() -> QueryExpression.Comparison {
        random.pick(QueryExpression.Comparison.allCases)
    }

    private mutating func contained(_ depth: Int) -> QueryExpression {
        switch random.below(4) {
        case 0: .contained(condition(depth - 1), [.boolean(random.below(2) == 0), .null])
        case 1: .contained(number(depth - 1), (0..<3).map { _ in numberLiteral() } + [.null])
        case 2: .contained(text(depth - 1), (0..<3).map { _ in textLiteral() })
        default: .contained(date(), [.null, .date(0), .date(-1)])
        }
    }

    mutating func number(_ depth: Int) -> QueryExpression {
        if depth <= 1 {
            return random.below(2) == 0
                ? .literal(numberLiteral()) : .column(random.pick(["number", "whole", "Whole"]))
        }
        switch random.below(8) {
        case 0, 1, 2:
            return .arithmetic(
                random.pick(QueryExpression.Arithmetic.allCases),
                number(depth - 1),
                number(depth - 1)
            )
        case 3: return .negate(number(depth - 1))
        case 4: return .call(.length, [text(depth - 1)])
        case 5: return .call(.indexof, [text(depth - 1), text(depth - 1)])
        case 6:
            let parts: [QueryFunction] = [.year, .month, .day, .hour, .minute, .second]
            return .call(random.pick(parts), [date()])
        default: return .call(random.pick([.floor, .ceiling, .round]), [number(depth - 1)])
        }
    }

    mutating func text(_ depth: Int) -> QueryExpression {
        if depth <= 1 {
            return random.below(2) == 0 ? .literal(textLiteral()) : .column(random.pick(["text", "other", "id"]))
        }
        switch random.below(6) {
        case 0: return .call(.concat, [text(depth - 1), text(depth - 1)])
        case 1:
            let start = QueryExpression.literal(.integer(Int64(random.below(5) - 1)))
            let length = QueryExpression.literal(.integer(Int64(random.below(5) - 1)))
            return .call(
                .substring,
                random.below(2) == 0 ? [text(depth - 1), start] : [text(depth - 1), start, length]
            )
        case 2:
            return .call(.replace, [.column("text"), .literal(textLiteral()), .literal(textLiteral())])
        default: return .call(random.pick([.tolower, .toupper, .trim]), [text(depth - 1)])
        }
    }

    private mutating func date() -> QueryExpression {
        random.below(2) == 0 ? .column("due") : .literal(.date(random.pick(SampleTable.dates.compactMap { $0 })))
    }

    private mutating func numberLiteral() -> QueryLiteral {
        random.below(2) == 0
            ? .integer(Int64(random.below(9) - 4)) : .real(Double(random.below(40) - 20) / 4)
    }

    private mutating func textLiteral() -> QueryLiteral {
        .string(random.pick(SampleTable.texts.compactMap { $0 } + ["%", "_", "c", "o", "e", "'", "😀", "lie"]))
    }
}
