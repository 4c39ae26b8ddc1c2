extension String {
    /// Tells whether this is ASCII letters, digits and `marks`, with a letter in front.
    ///
    /// Bytes are looked at instead of matching an expression: a daemon that starts reads hundreds of names, and making
    /// one expression takes longer than reading a file.
    ///
    /// - Parameters:
    ///   - marks: The characters allowed after the first one, beside letters and digits.
    ///   - digitFirst: True if the first character may be a digit.
    /// - Returns: True if the text meets all rules.
    public func isName(marks: String, digitFirst: Bool = false) -> Bool {
        guard let first = utf8.first, first.isASCIILetter || (digitFirst && first.isASCIIDigit) else { return false }
        return utf8.allSatisfy { $0.isASCIILetter || $0.isASCIIDigit || marks.utf8.contains($0) }
    }
}

extension UInt8 {
    /// `A` to `Z` and `a` to `z`.
    public var isASCIILetter: Bool { (0x61...0x7A).contains(self | 0x20) }
    /// `0` to `9`.
    public var isASCIIDigit: Bool { (0x30...0x39).contains(self) }
}
