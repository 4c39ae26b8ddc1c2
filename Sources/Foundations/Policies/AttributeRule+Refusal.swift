import Foundation
public import OAuth

extension AttributeRule {
    /// The reasons for rejecting a value, with the violated limit, the allowed options or the repeated item.
    public enum Refusal: Hashable, Sendable {
        case missing
        case tooShort(Int)
        case tooLong(Int)
        case notAnOption([String])
        /// The value does not have the format of the attribute's type.
        case malformed
        case noAddress
        /// The value contains control characters or characters that change the text direction.
        case forbiddenCharacters
        case outOfRange
        case tooManyItems(Int)
        case itemTwice(String)
        case wrongType
        case unmet(Validation.Fault)
    }

    static let ints: ClosedRange<Int64> = -2_147_483_648...2_147_483_647
    /// The range of values of type `long` (RFC 7493 §2.2).
    static let longs: ClosedRange<Int64> = -9_007_199_254_740_991...9_007_199_254_740_991
    static let mostItems = 100

    /// Returns why a value is rejected, or `nil` if it is accepted.
    ///
    /// A value of the wrong JSON type is also rejected. `today` is the day to which relative date limits refer.
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

    /// Returns why a value in text form, such as `true` or `12`, is rejected, or `nil` if it is accepted.
    public func refusal(of text: String, on today: CalendarDay) -> Refusal? {
        if text.isEmpty { return required ? .missing : nil }
        if text.unicodeScalars.count > maxLength { return .tooLong(maxLength) }
        if hasForbiddenCharacters(text) { return .forbiddenCharacters }
        if required, text.allSatisfy({ $0.isWhitespace || $0.unicodeScalars.allSatisfy(\.isMisleading) }) {
            return .missing
        }
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

    private func refusal(ofItems items: [String]) -> Refusal? {
        if items.isEmpty { return required ? .missing : nil }
        if items.count > Self.mostItems { return .tooManyItems(Self.mostItems) }
        if items.contains(where: { $0.unicodeScalars.count > maxLength }) { return .tooLong(maxLength) }
        if items.contains(where: hasForbiddenCharacters) { return .forbiddenCharacters }
        if !items.allSatisfy(isOffered) { return .notAnOption(options.map(\.value)) }
        var seen: Set<String> = []
        return items.first { !seen.insert($0).inserted }.map(Refusal.itemTwice)
    }

    private static func refusal(ofNumber text: String, in range: ClosedRange<Int64>) -> Refusal? {
        guard let number = Int64(text), "\(number)" == text else { return .malformed }
        return range.contains(number) ? nil : .outOfRange
    }

    /// Whether the text is an e-mail address (RFC 5322 §3.4.1) without a quoted local part or an address literal.
    ///
    /// A domain with other characters than ASCII must be valid under UTS #46.
    public static func isAddress(_ text: String) -> Bool {
        guard let text = MailAddress.ascii(text), !text.unicodeScalars.contains(where: \.isMisleading) else {
            return false
        }
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

    /// The characters that an atom may contain in addition to letters and digits (RFC 5322 §3.2.3).
    private static let special: Set<Character> = Set("!#$%&'*+-/=?^_`{|}~")

    private static func isLetterOrNumber(_ character: Character) -> Bool {
        switch character.asciiValue ?? 0 {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: character.isLetter || character.isNumber
        }
    }

    static func matches(_ text: String, pattern: String) -> Bool { BoundedPattern(pattern)?.matches(text) == true }

    /// Whether a value contains characters that users cannot see or that change the text direction.
    ///
    /// Texts can contain soft hyphens and joiners where they belong, but names and addresses of accounts cannot.
    func hasForbiddenCharacters(_ text: String) -> Bool {
        kind == .email || name == "username"
            ? text.unicodeScalars.contains(where: isForbidden) : text.containsOutOfPlace(isForbidden)
    }

    private func isForbidden(_ scalar: Unicode.Scalar) -> Bool {
        if scalar == "\n", input == .textArea { return false }
        return switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned: true
        default: false
        }
    }
}
