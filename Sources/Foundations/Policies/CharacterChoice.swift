/// A set of characters, at least one of which a value must contain.
///
/// The notation is that of B2C's `CharacterSet`: `a-z`, `0-9`, `@#$%`.
///
/// A hyphen between two characters denotes a range. A backslash escapes the next character.
public struct CharacterChoice: Hashable, Sendable, Codable {
    /// The set as written.
    public let text: String

    /// Parses a set, or returns `nil` if a range is descending or a backslash ends the text.
    public init?(_ text: String) {
        guard Self.ranges(text) != nil else { return nil }
        self.text = text
    }

    /// Whether a string contains one of the characters.
    func isFound(in other: String) -> Bool {
        let ranges = Self.ranges(text) ?? []
        return other.unicodeScalars.contains { scalar in ranges.contains { $0.contains(scalar) } }
    }

    private static func ranges(_ text: String) -> [ClosedRange<Unicode.Scalar>]? {
        var rest = Array(text.unicodeScalars)[...]
        var ranges: [ClosedRange<Unicode.Scalar>] = []
        while let first = character(&rest) {
            guard rest.first == "-", rest.count > 1 else {
                ranges.append(first...first)
                continue
            }
            rest.removeFirst()
            guard let last = character(&rest), first <= last else { return nil }
            ranges.append(first...last)
        }
        return rest.isEmpty && !ranges.isEmpty ? ranges : nil
    }

    /// Removes and returns the next character, or returns `nil` at the end or if only a trailing backslash is left.
    private static func character(_ rest: inout ArraySlice<Unicode.Scalar>) -> Unicode.Scalar? {
        guard rest.first == "\\" else { return rest.popFirst() }
        guard rest.count > 1 else { return nil }
        rest.removeFirst()
        return rest.popFirst()
    }
}
