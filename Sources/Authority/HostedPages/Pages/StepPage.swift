public import FlowModel
public import Foundation
import Localization
import OAuth
public import Policies

/// The page of a flow's open step.
public struct StepPage: Sendable {
    /// Things that the page's owner does, beside the actions that the step itself offers; the words in the form.
    public enum Offer: String, CaseIterable, Sendable {
        /// Set a new password.
        case forgot
        /// Begin again with another account.
        case choose
        /// Go on without answering.
        case skip
    }

    /// Another way to prove who somebody is, at an authority outside.
    public struct Provider: Hashable, Sendable {
        /// The word in the form.
        public let name: String
        /// The name to show.
        public let displayName: String

        /// An identity provider.
        public init(name: String, displayName: String) {
            self.name = name
            self.displayName = displayName
        }
    }

    /// What the user did on the page before, and what came of it.
    public struct Previous: Sendable {
        /// The answers that were typed before, by node; secrets and codes in it are left out.
        public var kept: [String: String] = [:]
        /// The problems of the answers, by node.
        public var problems: [NodeProblem] = []
        /// The reason why the answer was not taken, if it is none of its problems.
        public var refusal: Text?
        /// Milliseconds after which the answer may be tried again, if it could not be taken now; the page then says that in
        /// place of the reason.
        public var retryAfterMs: Int64?
        /// The action that led here, to say that it was done.
        public var done: Action.Name?

        /// Nothing: the page is the first one.
        public init() {}
    }

    /// The step.
    public let step: Step
    /// The policy that asks.
    public let policy: Policy
    /// The form.
    public let form: PageForm
    /// The time, which waits are counted from.
    public let now: Date
    /// The name of the client that the person goes on to.
    public var client: String?
    /// The sign-in name of the person who must answer; it is shown and cannot be changed.
    public var person: String?
    /// The host that the browser returns to, shown at a consent.
    public var returnsTo: String?
    /// The address of the account page, where consents are taken back.
    public var accountPage: String?
    /// What the user did on the page before, and what came of it.
    public var previous = Previous()
    /// The offers beside the step's own actions.
    public var offers: Set<Offer> = []
    /// The state of the box that keeps the browser signed in; nil without such a box.
    public var keepsSignedIn: Bool?
    /// Other ways to prove who somebody is.
    public var providers: [Provider] = []

    /// The page of a step; the other facts are set beside.
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

    /// The name of a text of the step: that for its purpose, if it has one.
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

    /// True for a consent: two buttons of its own answer it, and take the place of fields, submission and refusal.
    var isDecision: Bool { step.type == .consent }

    /// The number of digits at which a code is sent without the button; nil unless it is the page's only answer.
    var digitsSentAtOnce: Int? {
        let answered = step.nodes.filter(\.kind.isAnswered)
        guard let node = answered.first, answered.count == 1, node.kind == .code, step.type != .external,
            keepsSignedIn == nil
        else { return nil }
        return node.minLength
    }

    /// The values of sentences about the step.
    var values: [String: String] {
        var values: [String: String] = [:]
        values["app"] = step.data?["clientName"]?.string ?? client
        values["address"] = step.data?["hint"]?.string
        values["host"] = returnsTo
        values["seconds"] = previous.retryAfterMs.map { "\(max(1, ($0 + 999) / 1000))" }
        return values
    }

    /// True if every value that a sentence names is known.
    private func isComplete(_ sentence: String) -> Bool {
        PageTexts.placeholders(of: sentence).isSubset(of: Set(values.keys))
    }

    /// The errors of the step, each in the page's words.
    var wrongs: [Message] { step.messages.filter { $0.level == .error } }

    /// The person who must answer, where no field says it.
    private var who: TemplateValue {
        person.map { ["personName": .text($0), "personMark": .markup(Icon.letter(of: $0))] } ?? false
    }

    private func submitLabel(_ texts: PageTexts) -> String {
        let key = "step.\(step.type.rawValue).submit"
        return texts.text(texts.sentence(key) == nil ? "step.other.submit" : key)
    }

    /// The page's own words for a message, else the message's.
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

    /// The messages that stand under the heading already.
    private static let leads: Set<String> = ["code.sent", "pin.needed"]

    /// Sentences that are no errors.
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
