public import FlowModel
public import Foundation
import Localization
import OAuth
public import Policies

/// The page that shows the open step of a flow.
public struct StepPage: Sendable {
    /// An action that the page can offer in addition to the step's actions, with the value that the form posts.
    public enum Offer: String, CaseIterable, Sendable {
        /// Lets a user who forgot the password set a new one.
        case forgot
        /// Starts again with another account.
        case choose
        /// Continues without answering.
        case skip
    }

    /// An external identity provider that the user can choose to sign in with.
    public struct Provider: Hashable, Sendable {
        /// The form value that identifies the provider.
        public let name: String
        /// The name to display.
        public let displayName: String

        /// Creates the description of an identity provider.
        public init(name: String, displayName: String) {
            self.name = name
            self.displayName = displayName
        }
    }

    /// The user's input on the previous page, and the result of that input.
    public struct Previous: Sendable {
        /// The user's previous answers, by node name; the page does not fill in secrets and codes again.
        public var kept: [String: String] = [:]
        /// The problems with the answers, each with the name of its node.
        public var problems: [NodeProblem] = []
        /// The reason why the answer was rejected, or `nil` if ``problems`` contains the reason.
        public var refusal: Text?
        /// The milliseconds until the user can try again, shown instead of the refusal, or `nil` for no wait.
        public var retryAfterMs: Int64?
        /// The action that was just performed and that the page confirms, or `nil` if there is none.
        public var done: Action.Name?

        /// Creates an empty value, for the first page.
        public init() {}
    }

    /// The open step of the flow.
    public let step: Step
    /// The policy of the flow.
    public let policy: Policy
    /// The form of the page.
    public let form: PageForm
    /// The current time, for calculating wait times.
    public let now: Date
    /// The name of the client that the user continues to, or `nil` if there is none.
    public var client: String?
    /// The sign-in name of the only user who may answer, shown but not editable, or `nil` if any user may answer.
    public var person: String?
    /// The host or origin that the browser returns to, shown on a consent page, or `nil` if it is unknown.
    public var returnsTo: String?
    /// The address of the account page, where the user can revoke consents, or `nil` to omit the link.
    public var accountPage: String?
    /// The user's input on the previous page, and the result of that input.
    public var previous = Previous()
    /// The actions that the page offers in addition to the step's actions.
    public var offers: Set<Offer> = []
    /// Whether the box "keep me signed in" is ticked, or `nil` to omit the box.
    public var keepsSignedIn: Bool?
    /// The external identity providers that the user can choose.
    public var providers: [Provider] = []

    /// Creates a step's page without optional content.
    public init(_ step: Step, policy: Policy, form: PageForm, now: Date) {
        self.step = step
        self.policy = policy
        self.form = form
        self.now = now
    }
}

extension StepPage: PageFace {
    static var template: String { "step" }

    var icon: Icon? {
        switch step.type.rawValue {
        case "code": .mail
        case "pin", "pin_setup", "password_change", "new_password": .lock
        case "profile", "external", "assertion": .person
        case "totp", "totp_setup": .phone
        case "consent", "recovery_codes": .shield
        default: nil
        }
    }

    var hasErrors: Bool { !previous.problems.isEmpty || !wrongs.isEmpty || previous.refusal != nil }

    func title(_ texts: PageTexts) -> String {
        let key = key("title", texts)
        return texts.sentence(key) == nil ? step.title : texts.text(key, values)
    }

    func lead(_ texts: PageTexts) -> Markup? {
        let key = key("lead", texts)
        guard let sentence = texts.sentence(key), isComplete(sentence) else { return nil }
        return Markup(texts, key, values)
    }

    private func key(_ part: String, _ texts: PageTexts) -> String {
        let own = step.data?["purpose"]?.string.map { "step.\(step.type.rawValue).\($0).\(part)" }
        return own.flatMap { texts.sentence($0) == nil ? nil : $0 } ?? "step.\(step.type.rawValue).\(part)"
    }

    func content(_ frame: PageFrame) -> [String: TemplateValue] {
        let texts = frame.texts
        let fields = StepFields(page: self, texts: texts)
        let content: [String: TemplateValue] = [
            "form": .object(form.values(step: step.id)),
            "summary": summary(texts, fields),
            "notes": .list(notes(texts)),
            "who": step.nodes.contains { $0.name == "username" } ? false : who,
            "fields": .list(fields.values),
            "keep": keepsSignedIn.map { isKept in
                [
                    "keepLabel": .text(texts.text("node.keepMeSignedIn")),
                    "keepName": .text(PageForm.Field.keepMeSignedIn),
                    "isKept": .flag(isKept),
                ]
            } ?? false,
            "attempts": attempts(texts),
            "decision": isDecision ? consentDecision(texts) : false,
            "submit": isDecision || step.type == .provider ? false : .text(submitLabel(texts)),
            "providers": providerButtons(texts),
            "scriptPath": .text(digitsSentAtOnce.map { _ in frame.path(.code) }),
        ]
        return content.merging(actions(texts)) { $1 }
    }

    var isDecision: Bool { step.type == .consent }

    /// The number of digits after which a page that asks only for a code submits it, or `nil` if the user must do so.
    var digitsSentAtOnce: Int? {
        let answered = step.nodes.filter(\.kind.isAnswered)
        guard let node = answered.first, answered.count == 1, node.kind == .code, step.type != .external,
            keepsSignedIn == nil
        else { return nil }
        return node.minLength
    }

    var values: [String: String] {
        var values: [String: String] = [:]
        values["app"] = step.data?["clientName"]?.string ?? client
        values["address"] = step.data?["hint"]?.string
        values["host"] = returnsTo
        values["seconds"] = previous.retryAfterMs.map { "\(max(1, ($0 + 999) / 1000))" }
        return values
    }

    private func isComplete(_ sentence: String) -> Bool {
        PageTexts.placeholders(of: sentence).isSubset(of: Set(values.keys))
    }

    var wrongs: [Message] { step.messages.filter { $0.level == .error } }

    /// The name of the user who must answer, for pages on which no field shows this name.
    private var who: TemplateValue {
        person.map { ["personName": .text($0), "personMark": .markup(Icon.letter(of: $0))] } ?? false
    }

    private func submitLabel(_ texts: PageTexts) -> String {
        let key = "step.\(step.type.rawValue).submit"
        return texts.text(texts.sentence(key) == nil ? "step.other.submit" : key)
    }

    func words(_ message: Message, _ texts: PageTexts) -> String {
        let key = "message.\(message.code)"
        guard let sentence = texts.sentence(key), isComplete(sentence) else { return message.text }
        return texts.text(key, values)
    }

    private func summary(_ texts: PageTexts, _ fields: StepFields) -> TemplateValue {
        guard hasErrors else { return false }
        let errors = wrongs.map { message -> TemplateValue in
            ["said": .text(words(message, texts)), "target": .text(message.node.flatMap(fields.id))]
        }
        let refusal = previous.refusal.map { refusal -> TemplateValue in
            let isEarly = previous.retryAfterMs != nil
            let words = isEarly ? texts.text("message.refused", values) : texts.words(of: refusal)
            return ["said": .text(words), "target": false]
        }
        let problems = previous.problems.map { problem -> TemplateValue in
            ["said": .text(fields.words(problem)), "target": .text(fields.id(problem.name))]
        }
        let heading = texts.text(problems.count == 1 ? "summary.one" : "summary.many", ["count": "\(problems.count)"])
        return [
            "alert": .markup(Icon.alert.markup),
            "heading": problems.isEmpty ? false : .text(heading),
            "sentences": .list(errors + [refusal].compactMap { $0 }),
            "faults": .list(problems),
        ]
    }

    /// The codes of messages whose text already appears below the heading.
    private static let leads: Set<String> = ["code.sent", "pin.needed"]

    private func notes(_ texts: PageTexts) -> [TemplateValue] {
        var notes = step.messages.filter { $0.level == .info && !Self.leads.contains($0.code) }
            .map {
                message in
                note(words(message, texts), isGood: false)
            }
        if previous.done == .resend { notes.append(note(texts.text("resend.done", values), isGood: true)) }
        return notes
    }

    private func note(_ text: String, isGood: Bool) -> TemplateValue {
        [
            "tone": .text(isGood ? "good" : "plain"),
            "noteIcon": .markup((isGood ? Icon.check : Icon.alert).markup),
            "noteText": .text(text),
        ]
    }

    private func attempts(_ texts: PageTexts) -> TemplateValue {
        guard let left = step.attempts, left.remaining < left.max || step.type.rawValue == "pin" else { return false }
        let words =
            left.isLast ? texts.text("attempts.last") : texts.text("attempts.left", ["count": "\(left.remaining)"])
        let dots =
            left.max <= 10 ? (0..<left.max).map { TemplateValue.object(["isLeft": .flag($0 < left.remaining)]) } : []
        return ["attemptsText": .text(words), "dots": .list(dots)]
    }

    private func consentDecision(_ texts: PageTexts) -> TemplateValue {
        [
            "may": .markup(Markup(texts, "step.consent.may", values)),
            "scopes": .list(
                step.nodes.filter { $0.kind == .info }.map { node in
                    [
                        "scopeIcon": .markup(Icon.scope(node.name).markup),
                        "scopeText": .text(texts.words(ofScope: node.name, or: node.label)),
                    ]
                }
            ),
            "returns": returnsTo == nil ? false : .markup(Markup(texts, "step.consent.return", values)),
            "later": .text(texts.text("step.consent.later")),
            "accountPage": .text(accountPage),
            "deny": .text(texts.text("step.consent.deny")),
            "allow": .text(texts.text("step.consent.allow")),
        ]
    }

    private func providerButtons(_ texts: PageTexts) -> TemplateValue {
        guard !providers.isEmpty else { return false }
        return [
            "providersLabel": .text(texts.text(step.nodes.isEmpty ? "providers.only" : "providers.or")),
            "providerField": .text(PageForm.Field.provider),
            "buttons": .list(
                providers.map { provider in
                    [
                        "providerName": .text(provider.name),
                        "providerLabel": .text(texts.text("providers.name", ["name": provider.displayName])),
                        "providerTitle": .text(provider.displayName),
                        "mark": .markup(Icon.letter(of: provider.displayName)),
                    ]
                }
            ),
        ]
    }
}
