import Foundation
public import OAuth

extension AttributeRule {
    /// The reasons for rejecting a value.
    public enum Refusal: Hashable, Sendable {
        /// The value is missing.
        case missing
        /// The value has fewer characters than this minimum.
        case tooShort(Int)
        /// The value has more characters than this maximum.
        case tooLong(Int)
        /// The value is not one of these options.
        case notAnOption([String])
        /// The value does not have the format of the attribute's type.
        case malformed
        /// The value is not an e-mail address.
        case noAddress
        /// The value contains control characters or characters that change the text direction.
        case forbiddenCharacters
        /// The number is outside the range of the type.
        case outOfRange
        /// The list has more items than this maximum.
        case tooManyItems(Int)
        /// The list contains this item more than once.
        case itemTwice(String)
        /// The JSON value has the wrong type.
        case wrongType
        /// The value does not satisfy the validation.
        case unmet(Validation.Fault)
    }

    /// The range of `int`.
    static let ints: ClosedRange<Int64> = -2_147_483_648...2_147_483_647
    /// The range of `long` (RFC 7493 §2.2).
    static let longs: ClosedRange<Int64> = -9_007_199_254_740_991...9_007_199_254_740_991
    /// The maximum number of items in a collection.
    static let mostItems = 100

    /// Returns the reason for rejecting a value, or `nil` if it is accepted.
    ///
    /// - Parameters:
    ///   - value: A string, a Boolean, an integer, or an array of strings.
    ///   - today: The day that `today` stands for in a date range.
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

    /// Returns the reason for rejecting a value in text form, or `nil` if it is accepted.
    ///
    /// A Boolean is written `true` or `false`, a number in decimal digits.
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

    /// Returns the reason for rejecting a list of options.
    ///
    /// An attribute without options accepts any list of short strings.
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

    /// Whether the text is an e-mail address of the form dot-atom, at sign, domain (RFC 5322 §3.4.1).
    ///
    /// Quoted local parts and address literals are rejected.
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

    /// The characters of an atom other than letters and digits (RFC 5322 §3.2.3).
    private static let special: Set<Character> = Set("!#$%&'*+-/=?^_`{|}~")

    /// Whether the character is a letter or a digit of any script.
    ///
    /// ASCII takes a fast path without Unicode tables.
    private static func isLetterOrNumber(_ character: Character) -> Bool {
        switch character.asciiValue ?? 0 {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: character.isLetter || character.isNumber
        }
    }

    static func matches(_ text: String, pattern: String) -> Bool { BoundedPattern(pattern)?.matches(text) == true }

    /// Whether the scalar is forbidden in a value.
    ///
    /// Only multi-line text may contain line feeds.
    func isForbidden(_ scalar: Unicode.Scalar) -> Bool {
        if scalar == "\n", input == .textArea { return false }
        return switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned: true
        default: false
        }
    }
}
