/// Text from elsewhere, made safe to show on a terminal: nothing in it moves the cursor, changes colours or turns the
/// direction of what stands beside it.
public enum PlainText {
    /// The most characters that are shown of one text.
    public static let limit = 2000

    /// One line: line ends become spaces.
    public static func line(_ text: String) -> String {
        cleaned(text, keepingLines: false)
    }

    /// The beginning of a text on one line, by which it is recognised.
    public static func excerpt(_ text: String) -> String {
        let whole = line(text)
        return whole.count > excerptLimit ? "\(whole.prefix(excerptLimit - 1))…" : whole
    }

    /// The most characters of an excerpt.
    public static let excerptLimit = 60

    /// Several lines.
    public static func lines(_ text: String) -> String {
        cleaned(text, keepingLines: true)
    }

    /// All lines, however many they are.
    public static func document(_ text: String) -> String {
        cleaned(text, keepingLines: true, limit: .max)
    }

    /// A JSON text in which C1, separators and marks of direction are escapes: the same value, safe to show.
    public static func json(_ value: JSONValue) -> String {
        var result = String.UnicodeScalarView()
        for scalar in value.text.unicodeScalars {
            if isUnsafe(scalar) {
                let digits = String(scalar.value, radix: 16)
                result.append(
                    contentsOf: "\\u\(String(repeating: "0", count: 4 - digits.count))\(digits)".unicodeScalars
                )
            } else {
                result.append(scalar)
            }
        }
        return String(result)
    }

    private static func cleaned(_ text: String, keepingLines: Bool, limit: Int = limit) -> String {
        // Nearly every text is short and plain, and a list has thousands.
        if isPlain(text) { return text }
        var result = String.UnicodeScalarView()
        for scalar in text.unicodeScalars.prefix(limit) {
            switch scalar {
            case "\n" where keepingLines: result.append(scalar)
            case "\n", "\t": result.append(" ")
            case _ where isUnsafe(scalar): result.append("\u{FFFD}")
            default: result.append(scalar)
            }
        }
        return String(result)
    }

    /// True for a short text of printable ASCII, of which each byte is a character.
    public static func isPlain(_ text: String) -> Bool {
        text.utf8.withContiguousStorageIfAvailable { bytes in
            bytes.count <= limit && bytes.allSatisfy { (0x20..<0x7F).contains($0) }
        } ?? false
    }

    private static func isUnsafe(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator, .surrogate: return true
        case .format: break
        default: return false
        }
        switch scalar.value {
        case 0x200E, 0x200F, 0x202A...0x202E, 0x2066...0x2069, 0x061C: return true
        default: return false
        }
    }
}
