/// The target of a page's form, with the CSRF token that authenticates the form.
public struct PageForm: Hashable, Sendable {
    /// The names of the form fields that do not contain a step's answers, each with a leading underscore.
    public enum Field {
        /// The CSRF token.
        public static let csrf = "_csrf"
        /// The id of the step that the form answers.
        public static let step = "_step"
        /// The id of the submission.
        ///
        /// If several submissions have the same id, only the first one is evaluated.
        public static let submission = "_submission"
        /// The action to perform instead of answering, which is a value of `Action.Name` or ``StepPage/Offer``.
        public static let action = "_action"
        /// The identity provider that the user chose.
        public static let provider = "_provider"
        /// The second factor that the user chose.
        public static let choice = "_choice"
        /// The field that is `true` if the script submitted a code at its last digit.
        public static let sentAtOnce = "_atOnce"
        /// The field that is `true` if the user chose to stay signed in on this browser.
        public static let keepMeSignedIn = "_keepMeSignedIn"
        /// The user's decision, `allow` or `deny`, on a ``DecisionPage`` or a ``WordsPage``.
        public static let decision = "_decision"
        /// The two words that the user typed on a ``WordsPage``.
        public static let words = "_words"
        /// The session that the user ends on an ``AccountPage``.
        public static let endSession = "_endSession"
        /// The device that the user signs out on an ``AccountPage``.
        public static let endDevice = "_endDevice"
        /// The client for which the user revokes the consent on an ``AccountPage``.
        public static let endConsent = "_endConsent"
        /// The provider at which the user links an account on an ``AccountPage``.
        public static let link = "_link"
        /// The provider whose link the user removes on an ``AccountPage``.
        public static let unlink = "_unlink"
        /// The place where the user wants to sign out, `here` or `everywhere`, as chosen on an ``AccountPage``.
        public static let signOut = "_signOut"
        /// The name of the checkbox that makes a typed secret visible, to which the node's name is appended.
        static let show = "_show."
        /// The name of the text field that contains a visible secret, to which the node's name is appended.
        static let shown = "_shown."
    }

    /// The path or URL that the form is posted to.
    public let action: String
    /// The CSRF token.
    public let csrf: String
    /// The id of the submission; only the first submission with the same id is evaluated.
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
