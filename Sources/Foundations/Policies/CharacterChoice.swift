/// Characters of which an answer must have one, written as B2C's `CharacterSet`: `a-z`, `0-9`, `@#$%`.
///
/// A hyphen between two characters means all from one to the other; a backslash takes the next one as it is.
public struct CharacterChoice: Hashable, Sendable, Codable {
    /// The characters as they are written.
    public let text: String

    /// Characters; nil where a range runs backwards or a backslash ends the text.
    public init?(_ text: String) {
        guard Self.ranges(text) != nil else { return nil }
        self.text = text
    }

    /// True if a text has one of them.
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

    /// Takes the next character; nil at the end, or for a backslash at the end, which is left.
    private static func character(_ rest: inout ArraySlice<Unicode.Scalar>) -> Unicode.Scalar? {
        guard rest.first == "\\" else { return rest.popFirst() }
        guard rest.count > 1 else { return nil }
        rest.removeFirst()
        return rest.popFirst()
    }
}
