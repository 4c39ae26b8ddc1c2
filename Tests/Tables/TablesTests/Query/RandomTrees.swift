import Tables
import TestSupport

/// A generator of random expression trees of every shape that a filter can have.
///
/// The operands need not have matching types.
struct RandomTrees {
    private static let pieces = [
        "a", "Z", "0", " ", "'", "''", "\"", "%", "%41", "+", "&", "=", "#", ";", "\\", "/", "?", "(", ")", ",", "_",
        "é",
        "e\u{301}", "\u{301}", "ß", "漢", "😀", "👩‍👩‍👧", "\u{1F468}\u{200D}", "\n", "\t", "\u{7F}", "or", "not", "datetime'",
        "\u{202E}", "null",
    ]
    private static let names = [
        "text", "complete", "duration", "_x1", "Größe", "eq", "and", "desc", "in", "a/b", "datetime", "substringof",
        "length",
    ]

    var random: SeededGenerator

    init(seed: UInt64) {
        random = SeededGenerator(seed: seed)
    }

    mutating func string() -> String { (0..<random.below(6)).map { _ in random.pick(Self.pieces) }.joined() }

    mutating func literal() -> QueryLiteral {
        switch random.below(7) {
        case 0: return .null
        case 1: return .boolean(random.below(2) == 0)
        case 2: return .integer(random.pick([0, 1, -1, 42, .max, .min, Int64(random.below(1000))]))
        case 3:
            let some: [Double] = [
                0, -0.0, 1.5, -2.25, 1e20, .leastNonzeroMagnitude, -.greatestFiniteMagnitude, 0.1, 3, 1e15,
                123_456_789.5,
            ]
            return .real(random.pick(some))
        case 4:
            let ends = [TableDate.range.lowerBound, TableDate.range.upperBound, 0, -1]
            return .date(random.pick(ends + [Int64(random.below(2_000_000_000)) * 997]))
        default: return .string(string())
        }
    }

    mutating func tree(_ depth: Int) -> QueryExpression {
        if depth <= 1 || random.below(8) == 0 {
            return random.below(2) == 0 ? .literal(literal()) : .column(random.pick(Self.names))
        }
        switch random.below(9) {
        case 0: return call(depth)
        case 1: return .arithmetic(random.pick(QueryExpression.Arithmetic.allCases), tree(depth - 1), tree(depth - 1))
        case 2: return .negate(tree(depth - 1))
        case 3, 4:
            return .compare(random.pick(QueryExpression.Comparison.allCases), tree(depth - 1), tree(depth - 1))
        case 5: return .and((0..<(2 + random.below(3))).map { _ in tree(depth - 1) })
        case 6: return .or((0..<(2 + random.below(3))).map { _ in tree(depth - 1) })
        case 7: return .not(tree(depth - 1))
        default: return .contained(tree(depth - 1), (0..<(1 + random.below(4))).map { _ in literal() })
        }
    }

    private mutating func call(_ depth: Int) -> QueryExpression {
        let functions = QueryFunction.allCases.filter { $0 != .replace }
        let function = random.pick(functions)
        let count = function.arity.lowerBound + random.below(function.arity.count)
        if random.below(10) == 0 {
            return .call(.replace, [.column("text"), .literal(.string(string())), .literal(.string(string()))])
        }
        return .call(function, (0..<count).map { _ in tree(depth - 1) })
    }
}
