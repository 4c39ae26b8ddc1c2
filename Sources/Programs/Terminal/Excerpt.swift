import OAuth

/// A text that somebody typed, and the place in it where it is wrong.
public struct Excerpt: Hashable, Sendable {
    /// Code points shown before and after the place.
    static let reach = 60

    /// The text.
    public let text: String
    /// The place, in Unicode code points from 0; at most behind the last one.
    public let position: Int

    /// A place in a text.
    public init(_ text: String, at position: Int) {
        self.text = text
        self.position = min(max(position, 0), text.unicodeScalars.count)
    }

    /// The text around the place, and below it a caret that points at the place.
    var lines: [String] {
        let before = Self.visible(text.unicodeScalars.prefix(position).suffix(Self.reach))
        let after = Self.visible(text.unicodeScalars.dropFirst(position).prefix(Self.reach))
        return ["  \(before)\(after)", "  \(String(repeating: " ", count: before.count))^"]
    }

    private static func visible(_ scalars: some Collection<Unicode.Scalar>) -> String {
        PlainText.line(String(String.UnicodeScalarView(scalars)))
    }
}
