extension YAMLNode {
    /// Whether the value is empty, `null` or `~`.
    var isNull: Bool {
        guard case .scalar(let text, true) = content else { return false }
        return ["", "~", "null", "Null", "NULL"].contains(text)
    }

    /// The Boolean for an unquoted `true` or `false`, or `nil` for anything else, such as `True` or `yes`.
    var boolean: Bool? {
        guard case .scalar(let text, true) = content else { return nil }
        return text == "true" ? true : text == "false" ? false : nil
    }

    /// The value of an integer in decimal digits with an optional minus sign, or `nil` for anything else.
    var integer: Int? {
        guard case .scalar(let text, true) = content, let number = Int(text), !text.hasPrefix("+") else { return nil }
        return "\(number)" == text ? number : nil
    }

    /// The value of a decimal number with an optional fraction and exponent, or `nil` for anything else.
    var number: Double? {
        guard case .scalar(let text, true) = content,
            text.wholeMatch(of: /-?[0-9]+(\.[0-9]+)?([eE][-+]?[0-9]+)?/) != nil,
            let number = Double(text), number.isFinite
        else { return nil }
        return number
    }

    /// The text, or `nil` if it is unquoted and a YAML parser could interpret it as another type.
    var text: String? {
        guard case .scalar(let text, let isPlain) = content else { return nil }
        return isPlain && looksLikeSomethingElse ? nil : text
    }

    /// Whether a YAML parser could interpret this unquoted text as null, a Boolean or a number.
    var looksLikeSomethingElse: Bool {
        guard case .scalar(let text, true) = content else { return false }
        if isNull || Self.booleans.contains(text.lowercased()) { return true }
        // The first character rules out most values, and compiling a regular expression is slow.
        guard let first = text.utf8.first, first.isASCIIDigit || "+-.".utf8.contains(first) else { return false }
        return text.wholeMatch(
            of:
                #/[-+]?(\.?[0-9][0-9_]*(\.[0-9_]*)?([eE][-+]?[0-9]+)?|0x[0-9a-fA-F_]+|0o?[0-7_]+|\.(inf|Inf|INF))|\.(nan|NaN|NAN)|[-+]?[0-9]+(:[0-5]?[0-9])+/#
        ) != nil
    }

    private static let booleans: Set = ["true", "false", "yes", "no", "on", "off", "y", "n"]
}
