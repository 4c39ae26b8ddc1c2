import Tables

/// A function that the generated SQL calls, and that a store registers before its first query.
public struct SQLFunction: Sendable {
    /// The name in SQL.
    public let name: String
    /// The number of arguments.
    ///
    /// Functions with the same name can have different numbers of arguments.
    public let arity: Int
    /// The deterministic implementation, which returns null if the result cannot be calculated.
    public let body: @Sendable ([SQLValue]) -> SQLValue

    /// All functions.
    public static let all: [SQLFunction] =
        [
            SQLFunction(name: sortKey, arity: 1) { text($0[0]) { .text(SortKey.of($0)) } },
            SQLFunction(name: name(.tolower), arity: 1) { text($0[0]) { .text($0.lowercased()) } },
            SQLFunction(name: name(.toupper), arity: 1) { text($0[0]) { .text($0.uppercased()) } },
            SQLFunction(name: name(.endswith), arity: 2) { endswith($0[0], $0[1]) },
            SQLFunction(name: name(.substring), arity: 2) { substring($0[0], $0[1], .integer(.max)) },
            SQLFunction(name: name(.substring), arity: 3) { substring($0[0], $0[1], $0[2]) },
            SQLFunction(name: modulo, arity: 2) { remainder($0[0], $0[1]) },
            SQLFunction(name: name(.floor), arity: 1) { rounded($0[0], .down) },
            SQLFunction(name: name(.ceiling), arity: 1) { rounded($0[0], .up) },
            SQLFunction(name: name(.round), arity: 1) { rounded($0[0], .toNearestOrAwayFromZero) },
        ] + parts

    static let sortKey = "tables_sort_key"
    static let modulo = "tables_mod"

    static func name(_ function: QueryFunction) -> String { "tables_\(function.rawValue)" }

    private static let parts: [SQLFunction] = [
        part(.year) { $0.year }, part(.month) { $0.month }, part(.day) { $0.day }, part(.hour) { $0.hour },
        part(.minute) { $0.minute }, part(.second) { $0.second },
    ]

    private static func part(
        _ function: QueryFunction,
        _ part: @escaping @Sendable (TableDate.Parts) -> Int64
    ) -> SQLFunction {
        SQLFunction(name: name(function), arity: 1) { arguments in
            guard case .integer(let milliseconds) = arguments[0] else { return .null }
            return .integer(part(TableDate.parts(milliseconds)))
        }
    }

    private static func text(_ value: SQLValue, _ body: (String) -> SQLValue) -> SQLValue {
        if case .text(let text) = value { body(text) } else { .null }
    }

    /// Returns whether `text` ends with `end`.
    ///
    /// Comparing bytes is sufficient, because in UTF-8 no character begins in the middle of another one.
    private static func endswith(_ text: SQLValue, _ end: SQLValue) -> SQLValue {
        guard case .text(let text) = text, case .text(let end) = end else { return .null }
        return .integer(text.utf8.reversed().starts(with: end.utf8.reversed()) ? 1 : 0)
    }

    /// Returns the substring from `start`, counted from 0 in code points, where a negative `start` is treated as 0.
    private static func substring(_ value: SQLValue, _ start: SQLValue, _ length: SQLValue) -> SQLValue {
        guard case .text(let text) = value, let start = start.count, let length = length.count else { return .null }
        return .text(String(String.UnicodeScalarView(text.unicodeScalars.dropFirst(start).prefix(length))))
    }

    /// Returns the remainder with the sign of the dividend, or null for a division by zero.
    private static func remainder(_ left: SQLValue, _ right: SQLValue) -> SQLValue {
        if case .integer(let a) = left, case .integer(let b) = right {
            return b == 0 ? .null : .integer(b == -1 ? 0 : a % b)
        }
        guard let a = left.double, let b = right.double else { return .null }
        let rest = a.truncatingRemainder(dividingBy: b)
        return rest.isNaN ? .null : .real(rest)
    }

    private static func rounded(_ value: SQLValue, _ rule: FloatingPointRoundingRule) -> SQLValue {
        switch value {
        case .integer: value
        case .real(let number): .real(number.rounded(rule))
        case .null, .text: .null
        }
    }
}

extension SQLValue {
    fileprivate var double: Double? {
        switch self {
        case .integer(let number): Double(number)
        case .real(let number): number
        case .null, .text: nil
        }
    }

    /// The value rounded down to a whole number, 0 if it is negative, or `nil` if the value is not a number.
    fileprivate var count: Int? {
        switch self {
        case .integer(let number): Int(max(0, number))
        case .real(let number): Int(exactly: min(max(0, number), Double(Int32.max)).rounded(.down))
        case .null, .text: nil
        }
    }
}
