/// Makes external text safe for a terminal by replacing or escaping control characters and invisible characters.
public enum PlainText {
    /// The maximum number of Unicode scalars in the results of ``line(_:)`` and ``lines(_:)``.
    public static let limit = 2000

    /// Returns the text as one line of at most ``limit`` Unicode scalars, with spaces for line feeds and tabs.
    public static func line(_ text: String) -> String {
        cleaned(text, keepingLines: false)
    }

    /// Returns the text as one line of at most ``excerptLimit`` characters, ending with `…` if it was shortened.
    public static func excerpt(_ text: String) -> String {
        let whole = line(text)
        return whole.count > excerptLimit ? "\(whole.prefix(excerptLimit - 1))…" : whole
    }

    /// The maximum number of characters in an excerpt.
    public static let excerptLimit = 60

    /// Returns the text with its line feeds, shortened to at most ``limit`` Unicode scalars.
    public static func lines(_ text: String) -> String {
        cleaned(text, keepingLines: true)
    }

    /// Returns the text with its line feeds, without a limit on its length.
    public static func document(_ text: String) -> String {
        cleaned(text, keepingLines: true, limit: .max)
    }

    /// Returns the JSON text of a value, in which characters that can mislead a reader are escaped.
    public static func json(_ value: JSONValue) -> String {
        var result = String.UnicodeScalarView()
        var previous: Unicode.Scalar?
        let scalars = value.text.unicodeScalars
        for index in scalars.indices {
            let scalar = scalars[index]
            if isUnsafe(scalar, after: previous, before: scalars.scalar(after: index)) {
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
        // Use a fast path, because nearly all strings are short and plain, and a list can have thousands of strings.
        if isPlain(text) { return text }
        var result = String.UnicodeScalarView()
        let scalars = text.unicodeScalars
        let isCut = limit < .max && scalars.dropFirst(limit).first != nil
        for index in scalars.indices.prefix(isCut ? limit - 1 : limit) {
            let scalar = scalars[index]
            switch scalar {
            case "\n" where keepingLines: result.append(scalar)
            case "\n", "\t": result.append(" ")
            case _ where isUnsafe(scalar, after: result.last, before: scalars.scalar(after: index)):
                result.append("\u{FFFD}")
            default: result.append(scalar)
            }
        }
        if isCut { result.append("…") }
        return String(result)
    }

    /// Whether a string has at most ``limit`` characters, all of them printable ASCII.
    public static func isPlain(_ text: String) -> Bool {
        text.utf8.withContiguousStorageIfAvailable { bytes in
            bytes.count <= limit && bytes.allSatisfy { (0x20..<0x7F).contains($0) }
        } ?? false
    }

    private static func isUnsafe(
        _ scalar: Unicode.Scalar,
        after previous: Unicode.Scalar?,
        before next: @autoclosure () -> Unicode.Scalar?
    ) -> Bool {
        scalar.isMisleading && !scalar.belongs(after: previous, before: next())
    }
}
