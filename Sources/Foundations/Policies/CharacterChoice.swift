/// A set of characters, at least one of which a value must contain (B2C's `CharacterSet`).
///
/// In a set such as `a-z` or `@#$%`, a hyphen denotes a range, and a backslash escapes the next character.
public struct CharacterChoice: Hashable, Sendable, Codable {
    /// The text that defines the set, such as `a-z`.
    public let text: String

    /// Parses a set, or returns `nil` for an empty text, a descending range, or an unescaped backslash at the end.
    public init?(_ text: String) {
        guard Self.ranges(text) != nil else { return nil }
        self.text = text
    }

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

    /// Removes and returns the next character, without the backslash that escapes it.
    ///
    /// Returns `nil` if nothing is left, or only a backslash.
    private static func character(_ rest: inout ArraySlice<Unicode.Scalar>) -> Unicode.Scalar? {
        guard rest.first == "\\" else { return rest.popFirst() }
        guard rest.count > 1 else { return nil }
        rest.removeFirst()
        return rest.popFirst()
    }
}
