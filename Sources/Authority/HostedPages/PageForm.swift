/// The form of a page: where it goes, and what proves that it came from that page.
public struct PageForm: Hashable, Sendable {
    /// The names of the fields that every form carries; no answer to a step begins with an underscore.
    public enum Field {
        /// The token against forged requests.
        public static let csrf = "_csrf"
        /// The step that is answered.
        public static let step = "_step"
        /// The name of this answer; the same one is evaluated once.
        public static let submission = "_submission"
        /// The action that is done instead of answering: a word of `Action.Name` or ``StepPage/Offer``.
        public static let action = "_action"
        /// The chosen identity provider.
        public static let provider = "_provider"
        /// The chosen second factor.
        public static let choice = "_choice"
        /// `true` if the browser shall stay signed in.
        public static let keepMeSignedIn = "_keepMeSignedIn"
        /// `allow` or `deny`, on a ``DecisionPage`` and a ``WordsPage``.
        public static let decision = "_decision"
        /// The two words of a terminal, on a ``WordsPage``.
        public static let words = "_words"
        /// The session to end, on an ``AccountPage``.
        public static let endSession = "_endSession"
        /// The device to sign out, on an ``AccountPage``.
        public static let endDevice = "_endDevice"
        /// The client whose consent is taken back, on an ``AccountPage``.
        public static let endConsent = "_endConsent"
        /// The provider at which an account is linked, on an ``AccountPage``.
        public static let link = "_link"
        /// The provider whose account is taken away, on an ``AccountPage``.
        public static let unlink = "_unlink"
        /// `here` or `everywhere`, on an ``AccountPage``.
        public static let signOut = "_signOut"
        /// Before a node's name: `true` if its secret was typed where it can be read.
        static let show = "_show."
        /// Before a node's name: the secret that was typed where it can be read.
        static let shown = "_shown."
    }

    /// The path, or address, that the form is posted to.
    public let action: String
    /// The token against forged requests.
    public let csrf: String
    /// The name of the answer; the same one is evaluated once.
    public let submission: String

    /// A form that is posted to `action`.
    public init(action: String, csrf: String, submission: String) {
        self.action = action
        self.csrf = csrf
        self.submission = submission
    }

    /// The hidden fields of every form of the page.
    func values(step: String?) -> [String: TemplateValue] {
        [
            "action": .text(action),
            "hidden": .list(
                [(Field.csrf, csrf), (Field.submission, submission)].map {
                    ["hiddenName": .text($0.0), "hiddenValue": .text($0.1)]
                } + (step.map { [["hiddenName": .text(Field.step), "hiddenValue": .text($0)]] } ?? [])
            ),
        ]
    }
}
