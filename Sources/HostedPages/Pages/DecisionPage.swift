public import Foundation
import OAuth
import PageTexts

/// A page that asks for yes or no; no stands first, and nothing answers by itself.
public struct DecisionPage: Sendable {
    /// The question, with what a person needs to answer it.
    public enum Question: Hashable, Sendable {
        /// A device with a user code wants to sign in (RFC 8628 §3.3).
        case device(DeviceRequest)
        /// A program of a terminal wants its flow answered here.
        case ticket(TicketRequest)
        /// A client, or a link, wants the person signed out (OpenID Connect RP-Initiated Logout §2).
        case signOut(person: String?)
    }

    /// A device that waits for an answer.
    public struct DeviceRequest: Hashable, Sendable {
        /// The name of the client.
        public let client: String
        /// The code as the device shows it.
        public let userCode: String
        /// Each scope in words.
        public let scopes: [String]
        /// The scopes that ask for claims about the person, `profile` and `email`.
        public let aboutPerson: [String]
        /// True if it asks to stay signed in (`offline_access`).
        public let stays: Bool
        /// The address that asked.
        public let address: String
        /// The time at which it asked.
        public let asked: Date

        /// A device that waits for an answer.
        public init(
            client: String,
            userCode: String,
            scopes: [String],
            aboutPerson: [String] = [],
            stays: Bool = false,
            address: String,
            asked: Date
        ) {
            self.client = client
            self.userCode = userCode
            self.scopes = scopes
            self.aboutPerson = aboutPerson
            self.stays = stays
            self.address = address
            self.asked = asked
        }
    }

    /// A flow of a terminal that goes on in a browser.
    public struct TicketRequest: Hashable, Sendable {
        /// The two words that the terminal shows.
        public let words: [String]
        /// The name of the program.
        public let program: String
        /// The name of the user who runs it, if the system knows one.
        public let user: String?
        /// The id of that user.
        public let uid: UInt32
        /// The name of the machine.
        public let machine: String
        /// The time at which it asked.
        public let asked: Date
        /// True if it links the account of whoever goes on at a provider.
        public var links = false

        /// A flow of a terminal that goes on in a browser.
        public init(words: [String], program: String, user: String?, uid: UInt32, machine: String, asked: Date) {
            self.words = words
            self.program = program
            self.user = user
            self.uid = uid
            self.machine = machine
            self.asked = asked
        }
    }

    /// The question.
    public let question: Question
    /// The form; it posts ``PageForm/Field/decision`` with `allow` or `deny`.
    public let form: PageForm
    /// The time, from which ages are counted.
    public let now: Date

    /// A page that asks for yes or no.
    public init(_ question: Question, form: PageForm, now: Date) {
        self.question = question
        self.form = form
        self.now = now
    }
}

extension DecisionPage: PageFace {
    static var template: String { "decision" }

    var icon: Icon? {
        switch question {
        case .device: .screen
        case .ticket: .terminal
        case .signOut: .signOut
        }
    }

    func title(_ texts: PageTexts) -> String { texts.text("\(key).title") }

    func lead(_ texts: PageTexts) -> Markup? {
        switch question {
        case .device, .ticket: Markup(texts, "\(key).lead")
        case .signOut(let person?): Markup(texts, "signOut.lead.person", ["person": person])
        case .signOut(nil): Markup(texts, "signOut.lead")
        }
    }

    func content(_ frame: PageFrame) -> [String: TemplateValue] {
        let texts = frame.texts
        return [
            "form": .object(form.values(step: nil)),
            "words": words.isEmpty ? false : .list(words.map { .text($0) }),
            "hasWords": .flag(!words.isEmpty),
            "facts": .list(facts(texts)),
            "hasFacts": .flag(!facts(texts).isEmpty),
            "warning": texts.sentence(warning).map { .text($0) } ?? false,
            "warningIcon": .markup(Icon.alert.markup),
            "decisionField": .text(PageForm.Field.decision),
            "deny": .text(texts.text("\(key).deny")),
            "allow": .text(texts.text("\(key).allow")),
        ]
    }

    private var key: String {
        switch question {
        case .device: "device.confirm"
        case .ticket: "ticket"
        case .signOut: "signOut"
        }
    }

    private var warning: String {
        if case .ticket(let request) = question, request.links { return "ticket.warning.link" }
        return "\(key).warning"
    }

    private var words: [String] {
        switch question {
        case .device(let request): [request.userCode]
        case .ticket(let request): request.words
        case .signOut: []
        }
    }

    private func facts(_ texts: PageTexts) -> [TemplateValue] {
        switch question {
        case .device(let request):
            return [
                Self.fact("fact.app", request.client, texts),
                Self.fact(
                    "fact.asked",
                    texts.text("fact.from", ["ago": age(of: request.asked, texts), "address": request.address]),
                    texts
                ),
            ]
                + (may(request, texts).isEmpty
                    ? [] : [Self.fact("fact.may", may(request, texts).joined(separator: " · "), texts)])
        case .ticket(let request):
            let uid = texts.text("fact.uid", ["uid": "\(request.uid)"])
            return [
                Self.fact("fact.program", request.program, texts),
                Self.fact("fact.user", request.user.map { "\($0) (\(uid))" } ?? uid, texts),
                Self.fact("fact.machine", request.machine, texts),
                Self.fact("fact.asked", age(of: request.asked, texts), texts),
            ]
        case .signOut: return []
        }
    }

    private func may(_ request: DeviceRequest, _ texts: PageTexts) -> [String] {
        request.scopes + request.aboutPerson.map { texts.words(ofScope: $0, or: $0) }
            + (request.stays ? [texts.text("fact.stays")] : [])
    }

    private static func fact(_ key: String, _ value: String, _ texts: PageTexts) -> TemplateValue {
        ["factLabel": .text(texts.text(key)), "factValue": .text(value)]
    }

    private func age(of time: Date, _ texts: PageTexts) -> String {
        let seconds = Int(min(max(now.timeIntervalSince(time), 0), 86_400))
        return seconds < 120
            ? texts.text("ago.seconds", ["count": "\(seconds)"])
            : texts.text("ago.minutes", ["count": "\(seconds / 60)"])
    }
}
