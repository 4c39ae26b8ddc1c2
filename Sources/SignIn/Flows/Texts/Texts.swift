import AuthorityStore
import FlowModel
import Foundation
import Localization
import Moments
import OAuth
import Policies

/// The strings for flows in one language, including a policy's overrides.
struct Texts: Sendable {
    private let sentences: PageTexts
    /// The languages in which to look up a policy's own labels, preferred first.
    private let languages: [LanguageTag]

    /// Loads the strings in the first available language of `languages`, or in English.
    init(for languages: [LanguageTag], of policy: Policy? = nil) {
        self.languages = languages
        let overrides = policy?.texts ?? [:]
        let available = Set(PageTexts.available(beside: overrides))
        let found = languages.flatMap(\.ranges).compactMap(LanguageTag.init(rawValue:)).first(where: available.contains)
        sentences = PageTexts(found ?? .english, overrides: overrides)
    }

    /// Returns the text for a key, with values inserted for the placeholders in braces.
    subscript(_ key: TextKey, _ values: [String: String] = [:]) -> String { sentences.text(key.rawValue, values) }

    func message(
        _ key: TextKey,
        _ level: Message.Level,
        node: String? = nil,
        _ values: [String: String] = [:]
    ) -> Message {
        Message(code: key.messageCode, level: level, text: self[key, values], node: node)
    }

    func signInName(_ name: Policies.SignInName) -> String {
        switch name {
        case .email: self[.email]
        case .username: self[.username]
        case .both: self[.emailOrUsername]
        }
    }

    /// Returns the label for a built-in attribute, or `nil` for any other attribute.
    func attribute(_ name: String) -> String? {
        name == "username" ? self[.username] : sentences.sentence("node.\(name)")
    }

    /// Returns the message shown when a code step opens, which names the outbox folder if there is one.
    func codeSent(to hint: String, outbox: String?) -> Message {
        outbox.map { message(.codeInOutbox, .info, ["address": hint, "outbox": $0]) }
            ?? message(.codeSent, .info, ["address": hint])
    }

    func hint(_ rule: PasswordRule) -> String {
        sentences.lines(of: rule, in: languages).joined(separator: ", ")
    }

    func hint(_ validation: Validation) -> String {
        sentences.lines(of: validation, in: languages).joined(separator: ", ")
    }

    func sentence(_ fault: Validation.Fault, of validation: Validation?) -> String? {
        validation.flatMap { sentences.sentence(for: fault.rule, of: $0, in: languages) }
    }

    func hint(_ rule: PINRule) -> String {
        let values = ["min": "\(rule.minLength)", "max": "\(PINRule.lengths.upperBound)"]
        return self[rule.digitsOnly ? .ruleDigits : .ruleLength, values]
    }

    /// Returns the problem to report for a node, including its text.
    ///
    /// `most` is the maximum to mention in the text if the node does not define a maximum length.
    func problem(_ code: NodeProblem.Code, of node: Node, most: Int? = nil) -> NodeProblem {
        let text = sentences.problem(code, of: node, label: node.label, most: most)
        return NodeProblem(name: node.name, code: code, text: text ?? self[.wrong])
    }
}

struct MailFacts {
    /// The name shown at the top of the policy's pages.
    let app: String
    let origin: Origin
    let time: Moment
    var codeInSubject = true
}

extension Texts {
    func mail(_ draft: MailDraft, _ facts: MailFacts) -> OutboxMail {
        switch draft {
        case .code(let to, let code):
            let subject = facts.codeInSubject ? TextKey.codeMailSubject : .plainCodeMailSubject
            return mail(to, subject, .codeMail, facts, code)
        case .notInvited(let to): return mail(to, .notInvitedMailSubject, .notInvitedMail, facts)
        case .accountExists(let to): return mail(to, .accountExistsMailSubject, .accountExistsMail, facts)
        }
    }

    private func mail(
        _ to: String,
        _ subject: TextKey,
        _ body: TextKey,
        _ facts: MailFacts,
        _ code: Secret? = nil
    ) -> OutboxMail {
        let time = facts.time.date.formatted(
            .iso8601.year().month().day().dateSeparator(.dash).dateTimeSeparator(.space)
                .time(includingFractionalSeconds: false).timeSeparator(.colon)
        )
        let values = ["app": facts.app, "origin": words(of: facts.origin), "time": time]
        let withCode = values.merging(["code": code?.reveal() ?? ""]) { $1 }
        // Keep the code out of a subject line that is configured not to contain it.
        let line = self[subject, facts.codeInSubject ? withCode : values]
        return OutboxMail(
            to: to,
            subject: String(line.prefix(Self.longestSubject)),
            body: Secret(self[body, withCode] + "\n")
        )
    }

    /// The maximum length of a subject in characters, as in `Mail`.
    private static let longestSubject = 200

    private func words(of origin: Origin) -> String {
        switch origin {
        case .local: self[.localOrigin]
        case .address: origin.addressText ?? self[.unknownOrigin]
        }
    }
}
