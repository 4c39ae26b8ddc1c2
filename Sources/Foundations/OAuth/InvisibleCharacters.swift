extension Unicode.Scalar {
    /// Whether the character is a control, format, line-separating or invisible character, which can mislead a reader.
    public var isMisleading: Bool {
        switch properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate: true
        default: properties.isDefaultIgnorableCodePoint || value == 0x2800
        }
    }

    /// Whether an invisible character is part of the spelling between two characters, which are `nil` at an end.
    ///
    /// A soft hyphen marks where a word may be divided. A joiner (U+200C, U+200D) needs a letter, mark or emoji on both
    /// sides. A variation selector chooses whether the previous character is shown as text or as an emoji.
    func belongs(after previous: Unicode.Scalar?, before next: Unicode.Scalar?) -> Bool {
        switch value {
        case 0xAD: true
        case 0xFE0E, 0xFE0F: previous?.properties.isEmoji == true
        case 0x200C, 0x200D:
            previous.map { $0.takesJoiner || $0.value == 0xFE0F } == true && next?.takesJoiner == true
        default: false
        }
    }

    private var takesJoiner: Bool {
        if isMisleading { return false }
        return switch properties.generalCategory {
        case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter, .nonspacingMark,
            .spacingMark, .enclosingMark:
            true
        default: value > 0xFF && properties.isEmoji
        }
    }
}

extension String {
    /// Whether a character is refused by `isRefused` and is not an invisible character that belongs where it is.
    ///
    /// Soft hyphens belong everywhere, and joiners (U+200C, U+200D) between two letters, marks or emoji.
    public func containsOutOfPlace(_ isRefused: (Unicode.Scalar) -> Bool) -> Bool {
        let scalars = unicodeScalars
        var previous: Unicode.Scalar?
        for index in scalars.indices {
            let scalar = scalars[index]
            if isRefused(scalar), !scalar.belongs(after: previous, before: scalars.scalar(after: index)) { return true }
            previous = scalar
        }
        return false
    }

    /// Returns at most `limit` scalars of an account's name, without any character that ``Unicode/Scalar/isMisleading``.
    public func removingMisleading(limit: Int) -> String {
        String(String.UnicodeScalarView(unicodeScalars.lazy.filter { !$0.isMisleading }.prefix(limit)))
    }

    /// Returns at most `limit` scalars of the text, without the characters that ``containsOutOfPlace(_:)`` finds.
    public func removingOutOfPlace(limit: Int, _ isRefused: (Unicode.Scalar) -> Bool = \.isMisleading) -> String {
        let scalars = unicodeScalars
        var result = String.UnicodeScalarView()
        var count = 0
        for index in scalars.indices {
            if count == limit { break }
            let scalar = scalars[index]
            // A character at the limit is the last one.
            let next = count + 1 < limit ? scalars.scalar(after: index) : nil
            if isRefused(scalar), !scalar.belongs(after: result.last, before: next) { continue }
            result.append(scalar)
            count += 1
        }
        return String(result)
    }
}

extension String.UnicodeScalarView {
    /// Returns the character after the one at `index`, or `nil` at the end.
    func scalar(after index: Index) -> Unicode.Scalar? {
        let next = self.index(after: index)
        return next < endIndex ? self[next] : nil
    }
}
