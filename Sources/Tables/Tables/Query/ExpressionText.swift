/// Writes expressions in OData's grammar with minimal parentheses, recursing at most to ``QueryLimits/depth``.
struct ExpressionText {
    private enum Strength: Int {
        case or = 1
        case and
        case comparison
        case sum
        case product
        case sign
        case operand
    }

    let dialect: Query.Dialect

    func text(_ expression: QueryExpression) -> String { written(expression).text }

    private func text(_ expression: QueryExpression, _ least: Strength) -> String {
        let (text, strength) = written(expression)
        return strength.rawValue < least.rawValue ? "(\(text))" : text
    }

    private func written(_ expression: QueryExpression) -> (text: String, Strength) {
        switch expression {
        case .literal(let value): return (text(value), .operand)
        case .column(let name): return (name, .operand)
        case .call(let function, let arguments):
            return ("\(function.rawValue)(\(arguments.map(text).joined(separator: ",")))", .operand)
        case .arithmetic(let operation, let left, let right):
            let isSum = operation == .add || operation == .subtract
            let strength: Strength = isSum ? .sum : .product
            let right = text(right, isSum ? .product : .sign)
            return ("\(text(left, strength)) \(operation.rawValue) \(right)", strength)
        case .negate(let operand):
            if case .literal = operand { return ("-(\(text(operand)))", .sign) }
            return ("-" + text(operand, .operand), .sign)
        case .compare(let comparison, let left, let right):
            return ("\(text(left, .sum)) \(comparison.rawValue) \(text(right, .sum))", .comparison)
        case .and(let operands):
            return (operands.map { text($0, .comparison) }.joined(separator: " and "), .and)
        case .or(let operands):
            return (operands.map { text($0, .and) }.joined(separator: " or "), .or)
        case .not(let operand): return ("not " + text(operand, .operand), .sign)
        case .contained(let value, let values):
            return ("\(text(value, .sum)) in (\(values.map(text).joined(separator: ",")))", .comparison)
        }
    }

    private func text(_ value: QueryLiteral) -> String {
        switch value {
        case .null: "null"
        case .boolean(let value): "\(value)"
        case .integer(let value): "\(value)"
        case .real(let value): "\(value)"
        case .string(let text): quoted(text)
        case .date(let milliseconds): date(TableDate.text(milliseconds))
        case .dateBetween(let milliseconds): date(TableDate.text(milliseconds).dropLast() + "5Z")
        }
    }

    private func date(_ text: String) -> String { dialect == .v3 ? text : "datetime'\(text)'" }

    /// Returns `text` in quotation marks, with each quotation mark in it doubled.
    ///
    /// The method compares code points, because a quotation mark and a combining mark can form one `Character`.
    private func quoted(_ text: String) -> String {
        var quoted = String.UnicodeScalarView("'".unicodeScalars)
        for scalar in text.unicodeScalars {
            quoted.append(scalar)
            if scalar == "'" { quoted.append(scalar) }
        }
        quoted.append("'")
        return String(quoted)
    }
}
