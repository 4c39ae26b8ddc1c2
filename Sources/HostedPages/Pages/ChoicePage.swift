import OAuth
import PageTexts

/// The page on which a person chooses one of the accounts that are signed in (`prompt=select_account`).
public struct ChoicePage: Sendable {
    /// An account that is signed in.
    public struct Account: Hashable, Sendable {
        /// The word in the form.
        public let id: String
        /// The name to show.
        public let displayName: String
        /// The sign-in name.
        public let username: String

        /// An account that is signed in.
        public init(id: String, displayName: String, username: String) {
            self.id = id
            self.displayName = displayName
            self.username = username
        }
    }

    /// The accounts.
    public let accounts: [Account]
    /// The form; it posts ``PageForm/Field/account`` with an account's word, or empty for another one.
    public let form: PageForm
    /// The name of the client that the person goes on to.
    public let client: String?

    /// A page that asks for one of several accounts.
    public init(_ accounts: [Account], form: PageForm, client: String? = nil) {
        self.accounts = accounts
        self.form = form
        self.client = client
    }
}

extension ChoicePage: PageFace {
    static var template: String { "choice" }

    var icon: Icon? { nil }

    func title(_ texts: PageTexts) -> String { texts.text("choice.title") }

    func lead(_ texts: PageTexts) -> Markup? {
        client.map { Markup(texts, "step.password.lead", ["app": $0]) }
    }

    func content(_ frame: PageFrame) -> [String: TemplateValue] {
        [
            "form": .object(form.values(step: nil)),
            "accountField": .text(PageForm.Field.account),
            "accounts": .list(
                accounts.map { account in
                    [
                        "accountID": .text(account.id),
                        "accountLetter": .text(account.displayName.first.map { String($0).uppercased() } ?? ""),
                        "accountName": .text(account.displayName),
                        "accountUser": .text(account.username),
                        "arrow": .markup(Icon.arrowOn.mirrored),
                    ]
                }
            ),
            "other": .text(frame.texts.text("choice.other")),
            "plus": .markup(Icon.plus.markup),
            "arrow": .markup(Icon.arrowOn.mirrored),
        ]
    }
}
