/// A page's form: its target, and the CSRF token that authenticates it.
public struct PageForm: Hashable, Sendable {
    /// The names of the form fields, which begin with an underscore, unlike the names of a step's answers.
    public enum Field {
        /// The CSRF token.
        public static let csrf = "_csrf"
        /// The id of the step that the form answers.
        public static let step = "_step"
        /// The id of the submission, which is evaluated only once.
        public static let submission = "_submission"
        /// The action to perform instead of answering: a value of `Action.Name` or ``StepPage/Offer``.
        public static let action = "_action"
        /// The chosen identity provider.
        public static let provider = "_provider"
        /// The chosen second factor.
        public static let choice = "_choice"
        /// `true` to stay signed in on this browser.
        public static let keepMeSignedIn = "_keepMeSignedIn"
        /// The user's decision: `allow` or `deny`, on a ``DecisionPage`` and a ``WordsPage``.
        public static let decision = "_decision"
        /// The two words of a terminal, on a ``WordsPage``.
        public static let words = "_words"
        /// The session to end, on an ``AccountPage``.
        public static let endSession = "_endSession"
        /// The device to sign out, on an ``AccountPage``.
        public static let endDevice = "_endDevice"
        /// The client whose consent is revoked, on an ``AccountPage``.
        public static let endConsent = "_endConsent"
        /// The provider at which to link an account, on an ``AccountPage``.
        public static let link = "_link"
        /// The provider whose link is removed, on an ``AccountPage``.
        public static let unlink = "_unlink"
        /// Where to sign out: `here` or `everywhere`, on an ``AccountPage``.
        public static let signOut = "_signOut"
        /// The prefix of a field name that ends with a node's name.
        ///
        /// The field is `true` if the node's secret was typed as visible text.
        static let show = "_show."
        /// The prefix of a field name that ends with a node's name.
        ///
        /// The field contains a secret that was typed as visible text.
        static let shown = "_shown."
    }

    /// The path or URL that the form is posted to.
    public let action: String
    /// The CSRF token.
    public let csrf: String
    /// The id of the submission, which is evaluated only once.
    public let submission: String

    /// Creates a form that is posted to `action`.
    public init(action: String, csrf: String, submission: String) {
        self.action = action
        self.csrf = csrf
        self.submission = submission
    }

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
