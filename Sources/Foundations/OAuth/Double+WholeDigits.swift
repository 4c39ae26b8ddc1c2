extension Double {
    /// Reads a whole number as programs write it that have floating point numbers only.
    ///
    /// Digits that would lose something are refused: they must give the number exactly, or be the fewest that tell it
    /// from its neighbours, filled up with zeros, as ECMAScript writes numbers below 10^21 (ECMA-262 §6.1.6.1.20).
    ///
    /// - Parameter text: Decimal digits, optionally after a minus sign.
    public init?(wholeDigits text: some StringProtocol) {
        guard let nearest = Double(text), nearest.isFinite else { return nil }
        let isExact = Int128(text).map { $0 == Int128(exactly: nearest) } == true
        guard isExact || nearest.filledDigits == text else { return nil }
        self = nearest
    }

    /// The fewest digits that name this whole number, filled up with zeros.
    private var filledDigits: String {
        let parts = description.split(separator: "e")
        guard parts.count == 2, let exponent = Int(parts[1]) else { return description.replacing(".0", with: "") }
        let sign = parts[0].hasPrefix("-") ? "-" : ""
        let digits = parts[0].filter(\.isNumber)
        return sign + digits + String(repeating: "0", count: max(0, exponent + 1 - digits.count))
    }
}
