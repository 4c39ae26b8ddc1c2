import Foundation
import Tables

/// An evaluation of query expressions for one row, in Swift instead of SQL.
struct Evaluation {
    enum Outcome: Equatable {
        case null
        case truth(Bool)
        case whole(Int64)
        case real(Double)
        case text([Unicode.Scalar])
        case date(Int64)
    }

    let row: Sample

    /// Returns whether the condition is true for the row, as opposed to false or unknown.
    func wants(_ expression: QueryExpression) -> Bool { value(expression) == .truth(true) }

    func value(_ expression: QueryExpression) -> Outcome {
        switch expression {
        case .literal(let literal): return value(literal)
        case .column(let name): return column(name)
        case .call(let function, let arguments): return call(function, arguments.map(value))
        case .arithmetic(let operation, let left, let right): return calculated(operation, value(left), value(right))
        case .negate(let operand):
            switch value(operand) {
            case .whole(let number): return .whole(-number)
            case .real(let number): return .real(-number)
            default: return .null
            }
        case .compare(let comparison, let left, let right):
            if left == .literal(.null) || right == .literal(.null) {
                let other = right == .literal(.null) ? value(left) : value(right)
                switch comparison {
                case .equal: return .truth(other == .null)
                case .notEqual: return .truth(other != .null)
                default: return .null
                }
            }
            return compared(comparison, value(left), value(right))
        case .and(let operands): return all(operands.map(value), stopsAt: false)
        case .or(let operands): return all(operands.map(value), stopsAt: true)
        case .not(let operand):
            guard case .truth(let truth) = value(operand) else { return .null }
            return .truth(!truth)
        case .contained(let operand, let values):
            let one = value(operand)
            return all(
                values.map { $0 == .null ? .truth(one == .null) : compared(.equal, one, value($0)) },
                stopsAt: true
            )
        }
    }

    private func value(_ literal: QueryLiteral) -> Outcome {
        switch literal {
        case .null: .null
        case .boolean(let value): .truth(value)
        case .integer(let number): .whole(number)
        case .real(let number): .real(number)
        case .string(let text): .text(Array(text.unicodeScalars))
        case .date(let milliseconds): .date(milliseconds)
        // No test uses such a literal. This value cannot be compared with a date, so the comparison would be null.
        case .dateBetween(let milliseconds): .real(Double(milliseconds) + 0.5)
        }
    }

    private func column(_ name: String) -> Outcome {
        switch name.lowercased() {
        case "id": .text(Array(row.id.unicodeScalars))
        case "text": row.text.map { .text(Array($0.unicodeScalars)) } ?? .null
        case "other": row.other.map { .text(Array($0.unicodeScalars)) } ?? .null
        case "number": row.number.map { .real($0) } ?? .null
        case "whole": row.whole.map { .whole($0) } ?? .null
        case "done": row.done.map { .truth($0) } ?? .null
        default: row.due.map { .date($0) } ?? .null
        }
    }

    /// Evaluates `and` or `or` in three-valued logic.
    ///
    /// For `and`, `end` is `false`. For `or`, `end` is `true`.
    private func all(_ values: [Outcome], stopsAt end: Bool) -> Outcome {
        if values.contains(.truth(end)) { return .truth(end) }
        return values.contains(.null) ? .null : .truth(!end)
    }

    private func compared(_ comparison: QueryExpression.Comparison, _ left: Outcome, _ right: Outcome) -> Outcome {
        guard let order = order(left, right) else { return .null }
        switch comparison {
        case .equal: return .truth(order == 0)
        case .notEqual: return .truth(order != 0)
        case .greater: return .truth(order > 0)
        case .greaterOrEqual: return .truth(order >= 0)
        case .less: return .truth(order < 0)
        case .lessOrEqual: return .truth(order <= 0)
        }
    }

    private func order(_ left: Outcome, _ right: Outcome) -> Int? {
        switch (left, right) {
        case (.text(let a), .text(let b)):
            a == b ? 0 : a.lexicographicallyPrecedes(b) ? -1 : 1
        case (.truth(let a), .truth(let b)): (a ? 1 : 0) - (b ? 1 : 0)
        case (.date(let a), .date(let b)): (a > b ? 1 : 0) - (a < b ? 1 : 0)
        default:
            if let a = left.double, let b = right.double { (a > b ? 1 : 0) - (a < b ? 1 : 0) } else { nil }
        }
    }

    private func calculated(_ operation: QueryExpression.Arithmetic, _ left: Outcome, _ right: Outcome) -> Outcome {
        if case .whole(let a) = left, case .whole(let b) = right {
            switch operation {
            case .add: return .whole(a + b)
            case .subtract: return .whole(a - b)
            case .multiply: return .whole(a * b)
            case .divide: return b == 0 ? .null : .whole(a / b)
            case .modulo: return b == 0 ? .null : .whole(a - a / b * b)
            }
        }
        guard let a = left.double, let b = right.double else { return .null }
        switch operation {
        case .add: return .real(a + b)
        case .subtract: return .real(a - b)
        case .multiply: return .real(a * b)
        case .divide: return b == 0 ? .null : .real(a / b)
        case .modulo: return b == 0 ? .null : .real(fmod(a, b))
        }
    }

    private func call(_ function: QueryFunction, _ arguments: [Outcome]) -> Outcome {
        if arguments.contains(.null) { return .null }
        switch function {
        case .substringof: return .truth(place(of: arguments[0], in: arguments[1]) >= 0)
        case .contains: return .truth(place(of: arguments[1], in: arguments[0]) >= 0)
        case .startswith: return .truth(arguments[0].scalars.starts(with: arguments[1].scalars))
        case .endswith: return .truth(arguments[0].scalars.reversed().starts(with: arguments[1].scalars.reversed()))
        case .indexof: return .whole(Int64(place(of: arguments[1], in: arguments[0])))
        case .substring:
            let start = max(0, Int(arguments[1].double ?? 0))
            let length = arguments.count > 2 ? max(0, Int(arguments[2].double ?? 0)) : Int.max
            return .text(Array(arguments[0].scalars.dropFirst(start).prefix(length)))
        case .concat: return .text(arguments[0].scalars + arguments[1].scalars)
        case .replace: return .text(replaced(arguments[0].scalars, arguments[1].scalars, arguments[2].scalars))
        case .length: return .whole(Int64(arguments[0].scalars.count))
        case .tolower: return .text(Array(arguments[0].string.lowercased().unicodeScalars))
        case .toupper: return .text(Array(arguments[0].string.uppercased().unicodeScalars))
        case .trim: return .text(Array(arguments[0].string.trimmingCharacters(in: [" "]).unicodeScalars))
        case .year, .month, .day, .hour, .minute, .second: return part(function, arguments[0])
        case .floor: return rounded(arguments[0], Foundation.floor)
        case .ceiling: return rounded(arguments[0], Foundation.ceil)
        case .round: return rounded(arguments[0], Foundation.round)
        }
    }

    private func place(of part: Outcome, in text: Outcome) -> Int {
        let (part, text) = (part.scalars, text.scalars)
        return (0...text.count).first { text.dropFirst($0).starts(with: part) } ?? -1
    }

    private func replaced(
        _ text: [Unicode.Scalar],
        _ find: [Unicode.Scalar],
        _ by: [Unicode.Scalar]
    ) -> [Unicode.Scalar] {
        var result: [Unicode.Scalar] = []
        var rest = text[...]
        while let first = rest.first {
            if !find.isEmpty, rest.starts(with: find) {
                result += by
                rest = rest.dropFirst(find.count)
            } else {
                result.append(first)
                rest = rest.dropFirst()
            }
        }
        return result
    }

    private func part(_ function: QueryFunction, _ date: Outcome) -> Outcome {
        guard case .date(let milliseconds) = date else { return .null }
        let seconds = Double((milliseconds - (milliseconds % 1000 + 1000) % 1000) / 1000)
        var calendar = Calendar(identifier: .iso8601)
        calendar.timeZone = .gmt
        let parts = calendar.dateComponents(
            [.year, .month, .day, .hour, .minute, .second],
            from: Date(timeIntervalSince1970: seconds)
        )
        let value =
            switch function {
            case .year: parts.year
            case .month: parts.month
            case .day: parts.day
            case .hour: parts.hour
            case .minute: parts.minute
            default: parts.second
            }
        return value.map { .whole(Int64($0)) } ?? .null
    }

    private func rounded(_ value: Outcome, _ rule: (Double) -> Double) -> Outcome {
        if case .real(let number) = value { .real(rule(number)) } else { value }
    }
}

extension Evaluation.Outcome {
    var double: Double? {
        switch self {
        case .whole(let number): Double(number)
        case .real(let number): number
        default: nil
        }
    }

    var scalars: [Unicode.Scalar] {
        if case .text(let scalars) = self { scalars } else { [] }
    }

    var string: String { String(String.UnicodeScalarView(scalars)) }
}
