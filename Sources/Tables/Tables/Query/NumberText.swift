/// A number as clients write it: `12`, `12l` and `1.5`, `1e3`, `2f`, `2d`, `2m`.
struct NumberText {
    private let text: String
    private let suffix: Character?

    /// - Parameters:
    ///   - digits: Without a sign, perhaps with a suffix in lower case.
    ///   - isNegative: True if a minus sign precedes it.
    init(_ digits: String, isNegative: Bool) {
        let last = digits.last.flatMap { $0.isNumber ? nil : $0 }
        suffix = last
        text = (isNegative ? "-" : "") + (last == nil ? digits : String(digits.dropLast()))
    }

    /// The value; nil if it is out of range.
    ///
    /// A whole number without suffix that is too large for 64 bits is read as a real one, as clients mean it.
    var literal: QueryLiteral? {
        let isWhole = !text.contains { $0 == "." || $0 == "e" }
        if isWhole, suffix == nil || suffix == "l", let number = Int64(text) { return .integer(number) }
        guard suffix != "l", let number = Double(text), number.isFinite else { return nil }
        return .real(number)
    }
}
