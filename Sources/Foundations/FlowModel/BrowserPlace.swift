/// The page where the user continues a flow in a browser, and the words that identify the request to the user.
public struct BrowserPlace: Hashable, Sendable {
    /// How the user reaches the page.
    public enum Kind: Hashable, Sendable {
        /// By opening a link in a browser on this machine or on any other device.
        case link
        /// By typing a code into a browser on another device.
        case code
    }

    /// A code that the user types into a browser on another device.
    public struct TypedCode: Hashable, Sendable {
        /// The code, as two halves joined by a hyphen.
        public let userCode: String
        /// The address of the page where the user types the code.
        public let page: String

        /// Creates a typed code from the code and the address of the page where the user types it.
        public init(userCode: String, page: String) {
            self.userCode = userCode
            self.page = page
        }
    }

    /// The address that the user opens in the browser, which contains the ``code``, if any.
    public let url: String
    /// The two words that identify the request to the user, or an empty array for an external authority.
    ///
    /// The page prompts for the words unless the browser runs on this machine under the uid of the flow's owner.
    public let words: [String]
    /// The code that the user types, or `nil` if the mode is not `device`.
    public let code: TypedCode?

    /// Creates a value from the address of the page, the two words and an optional code.
    public init(url: String, words: [String], code: TypedCode? = nil) {
        self.url = url
        self.words = words
        self.code = code
    }
}
