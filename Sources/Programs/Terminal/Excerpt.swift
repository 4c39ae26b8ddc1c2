import OAuth

/// The user's input, and the position of an error in it.
public struct Excerpt: Hashable, Sendable {
    /// How many code points to show before and after the position.
    static let reach = 60

    /// The text as typed.
    public let text: String
    /// The position of the error in Unicode code points, from 0 to the length of the text.
    public let position: Int

    /// Creates an excerpt.
    public init(_ text: String, at position: Int) {
        self.text = text
        self.position = min(max(position, 0), text.unicodeScalars.count)
    }

    /// The input around the position, followed by a line with a caret at the position.
    var lines: [String] {
        let before = Self.visible(text.unicodeScalars.prefix(position).suffix(Self.reach))
        let after = Self.visible(text.unicodeScalars.dropFirst(position).prefix(Self.reach))
        return ["  \(before)\(after)", "  \(String(repeating: " ", count: before.count))^"]
    }

    private static func visible(_ scalars: some Collection<Unicode.Scalar>) -> String {
        PlainText.line(String(String.UnicodeScalarView(scalars)))
    }
}
