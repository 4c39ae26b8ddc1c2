extension YAMLNode {
    /// Whether the node is unquoted and either empty, `~` or a spelling of `null`.
    var isNull: Bool {
        guard case .scalar(let text, true) = content else { return false }
        return ["", "~", "null", "Null", "NULL"].contains(text)
    }

    /// The Boolean value of an unquoted `true` or `false`, or `nil` for anything else, such as `True` or `yes`.
    var boolean: Bool? {
        guard case .scalar(let text, true) = content else { return nil }
        return text == "true" ? true : text == "false" ? false : nil
    }

    /// The value of an unquoted decimal integer without a plus sign or leading zeros, or `nil` for anything else.
    var integer: Int? {
        guard case .scalar(let text, true) = content, let number = Int(text), !text.hasPrefix("+") else { return nil }
        return "\(number)" == text ? number : nil
    }

    /// The value of an unquoted decimal number with an optional fraction and exponent, or `nil` for anything else.
    var number: Double? {
        guard case .scalar(let text, true) = content,
            text.wholeMatch(of: /-?[0-9]+(\.[0-9]+)?([eE][-+]?[0-9]+)?/) != nil,
            let number = Double(text), number.isFinite
        else { return nil }
        return number
    }

    /// The text of a scalar, or `nil` for a list, a mapping or unquoted text that could mean a value of another type.
    var text: String? {
        guard case .scalar(let text, let isPlain) = content else { return nil }
        return isPlain && looksLikeSomethingElse ? nil : text
    }

    /// Whether the node is unquoted text that a YAML parser could interpret as null, a Boolean or a number.
    var looksLikeSomethingElse: Bool {
        guard case .scalar(let text, true) = content else { return false }
        if isNull || Self.booleans.contains(text.lowercased()) { return true }
        // Check the first character before the regular expression, because compiling a regular expression is slow.
        guard let first = text.utf8.first, first.isASCIIDigit || "+-.".utf8.contains(first) else { return false }
        return text.wholeMatch(
            of:
                #/[-+]?(\.?[0-9][0-9_]*(\.[0-9_]*)?([eE][-+]?[0-9]+)?|0x[0-9a-fA-F_]+|0o?[0-7_]+|\.(inf|Inf|INF))|\.(nan|NaN|NAN)|[-+]?[0-9]+(:[0-5]?[0-9])+/#
        ) != nil
    }

    private static let booleans: Set = ["true", "false", "yes", "no", "on", "off", "y", "n"]
}
