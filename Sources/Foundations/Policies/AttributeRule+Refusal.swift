import Foundation
public import OAuth

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
        /// It is a number outside of the type's range.
        case outOfRange
        /// It has more items than this.
        case tooManyItems(Int)
        /// It has this item twice.
        case itemTwice(String)
        /// It is a JSON value of another type.
        case wrongType
        /// It does not meet the validation.
        case unmet(Validation.Fault)
    }

    /// The whole numbers of `int`.
    static let ints: ClosedRange<Int64> = -2_147_483_648...2_147_483_647
    /// The whole numbers of `long` (RFC 7493 §2.2).
    static let longs: ClosedRange<Int64> = -9_007_199_254_740_991...9_007_199_254_740_991
    /// The most texts of a collection.
    static let mostItems = 100

    /// The reason for refusing an answer; nil if it is accepted.
    ///
    /// - Parameters:
    ///   - value: The answer: text, a boolean, a whole number, or a list of texts.
    ///   - today: The day that `today` in a range of days means.
    /// - Returns: The reason.
    public func refusal(of value: JSONValue, on today: CalendarDay) -> Refusal? {
        switch kind {
        case .stringCollection:
            guard let items = value.strings else { return .wrongType }
            return refusal(ofItems: items)
        case .string, .boolean, .int, .long, .date, .email:
            guard let text = text(of: value) else { return .wrongType }
            return refusal(of: text, on: today)
        }
    }

    /// The reason for refusing an answer that was written; nil if it is accepted.
    ///
    /// A boolean is written `true` or `false`, a number in decimal digits.
    public func refusal(of text: String, on today: CalendarDay) -> Refusal? {
        if text.isEmpty { return required ? .missing : nil }
        if text.unicodeScalars.count > maxLength { return .tooLong(maxLength) }
        if text.unicodeScalars.contains(where: isForbidden) { return .forbiddenCharacters }
        if required, text.allSatisfy(\.isWhitespace) { return .missing }
        if !options.isEmpty { return isOffered(text) ? nil : .notAnOption(options.map(\.value)) }
        switch kind {
        case .boolean: return text == "true" || text == "false" ? nil : .malformed
        case .int: return Self.refusal(ofNumber: text, in: Self.ints)
        case .long: return Self.refusal(ofNumber: text, in: Self.longs)
        case .email where !Self.isAddress(text): return .noAddress
        case .date where CalendarDay(text) == nil: return .malformed
        case .string, .email, .date, .stringCollection: break
        }
        if text.unicodeScalars.count < minLength { return .tooShort(minLength) }
        if let pattern, !Self.matches(text, pattern: pattern) { return .malformed }
        return validation?.fault(of: text, on: today).map(Refusal.unmet)
    }

    /// The reason for refusing some of the options; where there are none, any short texts are taken.
    private func refusal(ofItems items: [String]) -> Refusal? {
        if items.isEmpty { return required ? .missing : nil }
        if items.count > Self.mostItems { return .tooManyItems(Self.mostItems) }
        if items.contains(where: { $0.unicodeScalars.count > maxLength }) { return .tooLong(maxLength) }
        if items.contains(where: { $0.unicodeScalars.contains(where: isForbidden) }) { return .forbiddenCharacters }
        if !items.allSatisfy(isOffered) { return .notAnOption(options.map(\.value)) }
        var seen: Set<String> = []
        return items.first { !seen.insert($0).inserted }.map(Refusal.itemTwice)
    }

    private static func refusal(ofNumber text: String, in range: ClosedRange<Int64>) -> Refusal? {
        guard let number = Int64(text), "\(number)" == text else { return .malformed }
        return range.contains(number) ? nil : .outOfRange
    }

    /// True for an address of the usual form: a dot-atom, an at sign, a domain (RFC 5322 §3.4.1).
    ///
    /// Quoted local parts and address literals are refused.
    public static func isAddress(_ text: String) -> Bool {
        let parts = text.split(separator: "@", omittingEmptySubsequences: false)
        guard parts.count == 2, let local = parts.first, let domain = parts.last, text.utf8.count <= 254,
            (1...64).contains(local.utf8.count), (1...253).contains(domain.utf8.count)
        else { return false }
        let isAtom = local.split(separator: ".", omittingEmptySubsequences: false).allSatisfy {
            !$0.isEmpty && $0.allSatisfy { isLetterOrNumber($0) || special.contains($0) }
        }
        return isAtom
            && domain.split(separator: ".", omittingEmptySubsequences: false).allSatisfy {
                !$0.isEmpty && $0.utf8.count <= 63 && !$0.hasPrefix("-") && !$0.hasSuffix("-")
                    && $0.allSatisfy { isLetterOrNumber($0) || $0 == "-" }
            }
    }

    /// The characters of an atom beside letters and numbers (RFC 5322 §3.2.3).
    private static let special: Set<Character> = Set("!#$%&'*+-/=?^_`{|}~")

    /// True for a letter or a number of any script; those of ASCII, which nearly all are, need no look at Unicode's tables.
    private static func isLetterOrNumber(_ character: Character) -> Bool {
        switch character.asciiValue ?? 0 {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: character.isLetter || character.isNumber
        }
    }

    static func matches(_ text: String, pattern: String) -> Bool { BoundedPattern(pattern)?.matches(text) == true }

    /// True for a scalar that no answer has: only lines of text may end a line.
    func isForbidden(_ scalar: Unicode.Scalar) -> Bool {
        if scalar == "\n", input == .textArea { return false }
        return switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned: true
        default: false
        }
    }
}
