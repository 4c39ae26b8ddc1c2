public import Foundation
import Localization
import OAuth

/// The page on which a user types the two words that a terminal shows, so that the link alone is not enough.
public struct WordsPage: Sendable {
    /// Describes a flow that was started in a terminal and continues in a browser.
    public struct Request: Hashable, Sendable {
        /// The name of the program that started the flow.
        public let program: String
        /// The login name of the user who runs the program, or `nil` if the uid has no login name.
        public let user: String?
        /// The uid of the user who runs the program.
        public let uid: UInt32
        /// The name of the machine that the program runs on.
        public let machine: String
        /// When the flow was requested.
        public let asked: Date
        /// Whether the flow links an account at an identity provider to the user's account.
        public var links = false

        /// Creates the description of a flow that was started in a terminal.
        public init(program: String, user: String?, uid: UInt32, machine: String, asked: Date) {
            self.program = program
            self.user = user
            self.uid = uid
            self.machine = machine
            self.asked = asked
        }
    }

    /// The reason why the user must type the words again.
    public enum Problem: Hashable, Sendable {
        /// The user typed no words.
        case missing
        /// The words differ from the words that the terminal shows, and `left` attempts remain.
        case wrong(left: Int)
    }

    /// The flow that the page describes to the user.
    public let request: Request
    /// The form, which posts ``PageForm/Field/decision`` and, if the user allows the flow, ``PageForm/Field/words``.
    public let form: PageForm
    /// The current time, which the page uses to show how long ago the flow was requested.
    public let now: Date
    /// The reason why the user must type the words again, or `nil` if the user has not submitted the page yet.
    public var problem: Problem?

    /// Creates a page that asks for the two words that a terminal shows.
    public init(_ request: Request, form: PageForm, now: Date) {
        self.request = request
        self.form = form
        self.now = now
    }
}

extension WordsPage: PageFace {
    static var template: String { "words" }

    var icon: Icon? { .terminal }

    var hasErrors: Bool { problem != nil }

    func title(_ texts: PageTexts) -> String { texts.text("ticket.title") }

    func lead(_ texts: PageTexts) -> Markup? { Markup(texts, "ticket.lead") }

    func content(_ frame: PageFrame) -> [String: TemplateValue] {
        let texts = frame.texts
        return [
            "form": .object(form.values(step: nil)),
            "wrong": wrong(texts).map { .text($0) } ?? false,
            "alert": .markup(Icon.alert.markup),
            "facts": .list(facts(texts)),
            "warning": .text(texts.text(request.links ? "ticket.warning.link" : "ticket.warning")),
            "wordsLabel": .text(texts.text("ticket.label")),
            "wordsInput": .markup(Markup(attributes: input)),
            "wordsHint": .text(texts.text("ticket.hint")),
            "decisionField": .text(PageForm.Field.decision),
            "deny": .text(texts.text("ticket.deny")),
            "allow": .text(texts.text("ticket.allow")),
        ]
    }

    private var input: [(name: StaticString, value: String?)] {
        let input: [(name: StaticString, value: String?)] = [
            ("id", "words"), ("name", PageForm.Field.words), ("type", "text"), ("dir", "ltr"), ("autocomplete", "off"),
            ("autocapitalize", "none"), ("spellcheck", "false"), ("enterkeyhint", "go"), ("required", nil),
            ("aria-describedby", hasErrors ? "wrong words-hint" : "words-hint"),
        ]
        return input + [hasErrors ? ("aria-invalid", "true") : ("autofocus", nil)]
    }

    private func wrong(_ texts: PageTexts) -> String? {
        switch problem {
        case nil: nil
        case .missing?: texts.text("ticket.missing")
        case .wrong(let left)?: texts.text("ticket.wrong", ["count": "\(left)"])
        }
    }

    private func facts(_ texts: PageTexts) -> [TemplateValue] {
        let uid = texts.text("fact.uid", ["uid": "\(request.uid)"])
        return [
            FactRow.value("fact.program", request.program, texts),
            FactRow.value("fact.user", request.user.map { "\($0) (\(uid))" } ?? uid, texts),
            FactRow.value("fact.machine", request.machine, texts),
            FactRow.value("fact.asked", FactRow.age(of: request.asked, now: now, texts), texts),
        ]
    }
}
