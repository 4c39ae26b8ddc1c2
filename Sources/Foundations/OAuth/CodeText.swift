/// The text of a short code that a user copies or types.
public enum CodeText {
    /// Returns a code in upper case, without white space and dashes, and with full-width letters and digits as ASCII.
    public static func folded(_ text: String) -> String {
        var folded = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            let properties = scalar.properties
            if properties.isWhitespace || properties.generalCategory == .dashPunctuation || isMinus(scalar) { continue }
            if properties.numericType == .decimal, let value = properties.numericValue,
                let digit = Unicode.Scalar(0x30 + UInt32(value))
            {
                folded.append(digit)
            } else if (0xFF21...0xFF5A).contains(scalar.value), let letter = Unicode.Scalar(scalar.value - 0xFEE0) {
                folded.append(letter)
            } else {
                folded.append(scalar)
            }
        }
        return String(folded).uppercased()
    }

    /// Whether a character looks like a dash, but is a mathematical sign or a soft hyphen.
    private static func isMinus(_ scalar: Unicode.Scalar) -> Bool { scalar == "\u{2212}" || scalar == "\u{AD}" }
}
