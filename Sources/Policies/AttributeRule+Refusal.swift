import Foundation

extension AttributeRule {
    /// The reasons for refusing an answer.
    public enum Refusal: Hashable, Sendable {
        /// There is no answer.
        case missing
        /// It has fewer characters than this.
        case tooShort(Int)
        /// It has more characters than this.
        case tooLong(Int)
        /// It is none of the options.
        case notAnOption([String])
        /// It has not the form of the attribute's type.
        case malformed
        /// It is not an e-mail address.
        case noAddress
        /// It has control characters or characters that change the direction of writing.
        case forbiddenCharacters
    }

    /// The reason for refusing an answer; nil if it is accepted.
    ///
    /// A boolean is written `true` or `false`, a number in decimal digits.
    public func refusal(of text: String) -> Refusal? {
        if text.isEmpty { return required ? .missing : nil }
        if text.unicodeScalars.count > maxLength { return .tooLong(maxLength) }
        if text.unicodeScalars.contains(where: Self.isForbidden) { return .forbiddenCharacters }
        if required, text.allSatisfy(\.isWhitespace) { return .missing }
        if !options.isEmpty { return options.contains(text) ? nil : .notAnOption(options) }
        switch kind {
        case .boolean: return text == "true" || text == "false" ? nil : .malformed
        case .int: return Int(text).map { "\($0)" == text } == true ? nil : .malformed
        case .email where !Self.isAddress(text): return .noAddress
        case .string, .email: break
        }
        if text.unicodeScalars.count < minLength { return .tooShort(minLength) }
        return pattern.map { Self.matches(text, pattern: $0) } ?? true ? nil : .malformed
    }

    /// True for an address of the usual form: a dot-atom, an at sign, a domain (RFC 5322 §3.4.1).
    ///
    /// Quoted local parts and address literals are refused.
    public static func isAddress(_ text: String) -> Bool {
        let parts = text.split(separator: "@", omittingEmptySubsequences: false)
        guard parts.count == 2, let local = parts.first, let domain = parts.last, text.utf8.count <= 254,
            (1...64).contains(local.utf8.count), (1...253).contains(domain.utf8.count)
        else { return false }
        let special: Set<Character> = Set("!#$%&'*+-/=?^_`{|}~")
        let isAtom = local.split(separator: ".", omittingEmptySubsequences: false).allSatisfy {
            !$0.isEmpty && $0.allSatisfy { $0.isLetter || $0.isNumber || special.contains($0) }
        }
        return isAtom
            && domain.split(separator: ".", omittingEmptySubsequences: false).allSatisfy {
                !$0.isEmpty && $0.utf8.count <= 63 && !$0.hasPrefix("-") && !$0.hasSuffix("-")
                    && $0.allSatisfy { $0.isLetter || $0.isNumber || $0 == "-" }
            }
    }

    static func matches(_ text: String, pattern: String) -> Bool {
        guard let expression = try? NSRegularExpression(pattern: "\\A(?:\(pattern))\\z") else { return false }
        return expression.firstMatch(in: text, range: NSRange(text.startIndex..., in: text)) != nil
    }

    private static func isForbidden(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned: true
        default: false
        }
    }
}
