extension String {
    /// Whether the text has only ASCII letters, digits and `marks`, starting with a letter (or digit if `digitFirst`).
    ///
    /// The implementation compares bytes, because compiling a regular expression would be much slower.
    public func isName(marks: String, digitFirst: Bool = false) -> Bool {
        guard let first = utf8.first, first.isASCIILetter || (digitFirst && first.isASCIIDigit) else { return false }
        return utf8.allSatisfy { $0.isASCIILetter || $0.isASCIIDigit || marks.utf8.contains($0) }
    }
}

extension UInt8 {
    /// Whether the byte is `A` to `Z` or `a` to `z`.
    public var isASCIILetter: Bool { (0x61...0x7A).contains(self | 0x20) }
    /// Whether the byte is `0` to `9`.
    public var isASCIIDigit: Bool { (0x30...0x39).contains(self) }
}
