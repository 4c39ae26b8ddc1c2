/// The place at which a browser continues a flow, with the words by which a person recognises it.
public struct BrowserPlace: Hashable, Sendable {
    /// The address to open.
    public let url: String
    /// Two words; the page shows the same, unless it is opened by the same user of this machine.
    public let words: [String]

    /// A place with its words.
    public init(url: String, words: [String]) {
        self.url = url
        self.words = words
    }
}
