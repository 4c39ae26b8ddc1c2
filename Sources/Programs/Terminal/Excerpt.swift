import OAuth

/// The user's input, and the position of an error in this input.
public struct Excerpt: Hashable, Sendable {
    /// The maximum number of code points that are shown on each side of the position.
    static let reach = 60

    /// The input as the user typed it.
    public let text: String
    /// The position of the error in Unicode code points, from 0 to the length of the text.
    public let position: Int

    /// Creates an excerpt from the input and the position of the error, which is clamped to the length of the input.
    public init(_ text: String, at position: Int) {
        self.text = text
        self.position = min(max(position, 0), text.unicodeScalars.count)
    }

    /// A line with the input around the position, and a line with a caret below the position.
    var lines: [String] {
        let before = Self.visible(text.unicodeScalars.prefix(position).suffix(Self.reach))
        let after = Self.visible(text.unicodeScalars.dropFirst(position).prefix(Self.reach))
        return ["  \(before)\(after)", "  \(String(repeating: " ", count: before.count))^"]
    }

    private static func visible(_ scalars: some Collection<Unicode.Scalar>) -> String {
        PlainText.line(String(String.UnicodeScalarView(scalars)))
    }
}
