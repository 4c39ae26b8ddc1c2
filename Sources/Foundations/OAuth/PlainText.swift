/// External text, made safe to show on a terminal: nothing in it moves the cursor, changes colours, turns the direction of
/// what stands beside it, or is there without being seen.
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

    /// A JSON text in which everything misleading is an escape: the same value, safe to show.
    public static func json(_ value: JSONValue) -> String {
        var result = String.UnicodeScalarView()
        var previous: Unicode.Scalar = " "
        for scalar in value.text.unicodeScalars {
            if isUnsafe(scalar, after: previous) {
                for unit in String(scalar).utf16 {
                    let digits = String(unit, radix: 16)
                    result.append(
                        contentsOf: "\\u\(String(repeating: "0", count: 4 - digits.count))\(digits)".unicodeScalars
                    )
                }
            } else {
                result.append(scalar)
            }
            previous = scalar
        }
        return String(result)
    }

    private static func cleaned(_ text: String, keepingLines: Bool, limit: Int = limit) -> String {
        // Nearly every text is short and plain, and a list has thousands.
        if isPlain(text) { return text }
        var result = String.UnicodeScalarView()
        var previous: Unicode.Scalar = " "
        for scalar in text.unicodeScalars.prefix(limit) {
            defer { previous = scalar }
            switch scalar {
            case "\n" where keepingLines: result.append(scalar)
            case "\n", "\t": result.append(" ")
            case _ where isUnsafe(scalar, after: previous): result.append("\u{FFFD}")
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

    private static func isUnsafe(_ scalar: Unicode.Scalar, after previous: Unicode.Scalar) -> Bool {
        scalar.isMisleading && !joins(scalar, to: previous)
    }

    /// Whether an unseen character is a part of the one before it, as emoji and some scripts write them.
    private static func joins(_ scalar: Unicode.Scalar, to previous: Unicode.Scalar) -> Bool {
        switch scalar.value {
        // The choice between the two faces of an emoji.
        case 0xFE0E, 0xFE0F: previous.properties.isEmoji
        // The zero width joiner: of emoji, and of letters in scripts that join them.
        case 0x200D: previous.isPictograph || previous.value == 0xFE0F || previous.isOfJoiningScript
        case 0x200C: previous.isOfJoiningScript
        default: false
        }
    }
}

extension Unicode.Scalar {
    /// Whether a reader may be misled by it in a text from elsewhere: controls, separators of lines, and everything that is not
    /// seen, such as marks of direction, spaces without width, fillers and tags.
    public var isMisleading: Bool {
        switch properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate: true
        default: properties.isDefaultIgnorableCodePoint || value == 0x2800
        }
    }

    fileprivate var isPictograph: Bool { value > 0xFF && properties.isEmoji }

    /// Whether it is of the blocks from Arabic to Vedic, whose letters are joined or kept apart by characters without width.
    fileprivate var isOfJoiningScript: Bool {
        switch properties.generalCategory {
        case .otherLetter, .modifierLetter, .nonspacingMark, .spacingMark: (0x0600...0x1CFF).contains(value)
        default: false
        }
    }
}
