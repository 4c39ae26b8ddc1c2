extension YAMLNode {
    /// True if nothing is written here, or `null` or `~`.
    var isNull: Bool {
        guard case .scalar(let text, true) = content else { return false }
        return ["", "~", "null", "Null", "NULL"].contains(text)
    }

    /// `true` or `false` as they stand; YAML's other spellings are no booleans here.
    var boolean: Bool? {
        guard case .scalar(let text, true) = content else { return nil }
        return text == "true" ? true : text == "false" ? false : nil
    }

    /// Decimal digits with an optional minus sign.
    var integer: Int? {
        guard case .scalar(let text, true) = content, let number = Int(text), !text.hasPrefix("+") else { return nil }
        return "\(number)" == text ? number : nil
    }

    /// A number in decimal digits, with a fraction or an exponent if it likes.
    var number: Double? {
        guard case .scalar(let text, true) = content,
            text.wholeMatch(of: /-?[0-9]+(\.[0-9]+)?([eE][-+]?[0-9]+)?/) != nil,
            let number = Double(text), number.isFinite
        else { return nil }
        return number
    }

    /// Text that no reader of YAML takes for something else, or that stands in quotes.
    var text: String? {
        guard case .scalar(let text, let isPlain) = content else { return nil }
        return isPlain && looksLikeSomethingElse ? nil : text
    }

    /// True if some reader of YAML takes these plain characters for null, a boolean or a number.
    var looksLikeSomethingElse: Bool {
        guard case .scalar(let text, true) = content else { return false }
        if isNull || Self.booleans.contains(text.lowercased()) { return true }
        // Most texts are no numbers by their first character, and an expression is slow to make.
        guard let first = text.utf8.first, first.isASCIIDigit || "+-.".utf8.contains(first) else { return false }
        return text.wholeMatch(
            of:
                #/[-+]?(\.?[0-9][0-9_]*(\.[0-9_]*)?([eE][-+]?[0-9]+)?|0x[0-9a-fA-F_]+|0o?[0-7_]+|\.(inf|Inf|INF))|\.(nan|NaN|NAN)|[-+]?[0-9]+(:[0-5]?[0-9])+/#
        ) != nil
    }

    private static let booleans: Set = ["true", "false", "yes", "no", "on", "off", "y", "n"]
}
