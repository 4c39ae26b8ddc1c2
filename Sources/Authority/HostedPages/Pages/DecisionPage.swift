public import Foundation
import Localization
import OAuth

/// A page on which the user denies or approves a request, and which no script submits.
public struct DecisionPage: Sendable {
    /// The request that the user must approve or deny, with the details that the page shows.
    public enum Question: Hashable, Sendable {
        /// A device that shows a user code requests a sign-in (RFC 8628 §3.3).
        case device(DeviceRequest)
        /// A client or a link requests that the user be signed out (OpenID Connect RP-Initiated Logout §2).
        case signOut(person: String?)
    }

    /// A device that is waiting for a decision.
    public struct DeviceRequest: Hashable, Sendable {
        /// The display name of the client.
        public let client: String
        /// The user code, which the user compares with the code that the device shows.
        public let userCode: String
        /// A description of each scope.
        public let scopes: [String]
        /// The requested scopes that give access to claims about the user (`profile` and `email`).
        public let aboutPerson: [String]
        /// Whether the device requests to stay signed in (`offline_access`).
        public let stays: Bool
        /// The IP address of the device.
        public let address: String
        /// When the device sent the request.
        public let asked: Date

        /// Creates the description of a device.
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

    /// The request that the user must approve or deny.
    public let question: Question
    /// The form for the buttons, which post ``PageForm/Field/decision`` with `allow` or `deny`.
    public let form: PageForm
    /// The current time, for showing how long ago the request was made.
    public let now: Date

    /// Creates a decision page.
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
        case .signOut: .signOut
        }
    }

    func title(_ texts: PageTexts) -> String { texts.text("\(key).title") }

    func lead(_ texts: PageTexts) -> Markup? {
        switch question {
        case .device: Markup(texts, "\(key).lead")
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
            "warning": texts.sentence("\(key).warning").map { .text($0) } ?? false,
            "warningIcon": .markup(Icon.alert.markup),
            "decisionField": .text(PageForm.Field.decision),
            "deny": .text(texts.text("\(key).deny")),
            "allow": .text(texts.text("\(key).allow")),
        ]
    }

    private var key: String {
        switch question {
        case .device: "device.confirm"
        case .signOut: "signOut"
        }
    }

    private var words: [String] {
        switch question {
        case .device(let request): [request.userCode]
        case .signOut: []
        }
    }

    private func facts(_ texts: PageTexts) -> [TemplateValue] {
        switch question {
        case .device(let request):
            return [
                FactRow.value("fact.app", request.client, texts),
                FactRow.value(
                    "fact.asked",
                    texts.text(
                        "fact.from",
                        ["ago": FactRow.age(of: request.asked, now: now, texts), "address": request.address]
                    ),
                    texts
                ),
            ]
                + (may(request, texts).isEmpty
                    ? [] : [FactRow.value("fact.may", may(request, texts).joined(separator: " · "), texts)])
        case .signOut: return []
        }
    }

    private func may(_ request: DeviceRequest, _ texts: PageTexts) -> [String] {
        request.scopes + request.aboutPerson.map { texts.words(ofScope: $0, or: $0) }
            + (request.stays ? [texts.text("fact.stays")] : [])
    }
}
