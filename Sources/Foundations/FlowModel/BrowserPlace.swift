/// The place at which a browser continues a flow, with the words by which a person recognises it.
public struct BrowserPlace: Hashable, Sendable {
    /// The ways in which a browser gets to a place.
    public enum Kind: Hashable, Sendable {
        /// By its address, in a browser of this machine or wherever the person carries it.
        case link
        /// By a code that the person types, in the browser of another device.
        case code
    }

    /// A code that a person types in the browser of another device.
    public struct TypedCode: Hashable, Sendable {
        /// The code, in two halves.
        public let userCode: String
        /// The address of the page where it is typed.
        public let page: String

        /// A code and the page where it is typed.
        public init(userCode: String, page: String) {
            self.userCode = userCode
            self.page = page
        }
    }

    /// The address to open; with a code, that of its page with the code filled in.
    public let url: String
    /// Two words; the page asks the person to type them, unless its browser is of the same user of this machine.
    public let words: [String]
    /// The code to type; in `mode: device` only.
    public let code: TypedCode?

    /// A place with its words.
    public init(url: String, words: [String], code: TypedCode? = nil) {
        self.url = url
        self.words = words
        self.code = code
    }
}
