import AuthorityStore
import FlowModel
import Localization
import OAuth
import Policies

/// The sentences of flows in one language, as a policy has them.
struct Texts: Sendable {
    private let sentences: PageTexts
    /// The languages in which a policy's own words are looked for, the best first.
    private let languages: [LanguageTag]

    /// The first of `languages` that there is; English if there is none.
    init(for languages: [LanguageTag], of policy: Policy? = nil) {
        self.languages = languages
        let overrides = policy?.texts ?? [:]
        let available = Set(PageTexts.available(beside: overrides))
        let found = languages.flatMap(\.ranges).compactMap(LanguageTag.init(rawValue:)).first(where: available.contains)
        sentences = PageTexts(found ?? .english, overrides: overrides)
    }

    /// The sentence of a key, its braces filled in.
    subscript(_ key: TextKey, _ values: [String: String] = [:]) -> String { sentences.text(key.rawValue, values) }

    /// A message to show with a step.
    func message(
        _ key: TextKey,
        _ level: Message.Level,
        node: String? = nil,
        _ values: [String: String] = [:]
    ) -> Message {
        Message(code: key.messageCode, level: level, text: self[key, values], node: node)
    }

    /// The label of the sign-in name.
    func signInName(_ name: Policies.SignInName) -> String {
        switch name {
        case .email: self[.email]
        case .username: self[.username]
        case .both: self[.emailOrUsername]
        }
    }

    /// The label of a built-in attribute; nil for any other.
    func attribute(_ name: String) -> String? {
        name == "username" ? self[.username] : sentences.sentence("node.\(name)")
    }

    /// The message that a code step opens with.
    ///
    /// - Parameters:
    ///   - hint: The part of the address by which its owner recognises it.
    ///   - outbox: The folder in which mails stay.
    /// - Returns: The message, with the folder if there is one.
    func codeSent(to hint: String, outbox: String?) -> Message {
        outbox.map { message(.codeInOutbox, .info, ["address": hint, "outbox": $0]) }
            ?? message(.codeSent, .info, ["address": hint])
    }

    /// The rule for new passwords, which the person reads before choosing one.
    func hint(_ rule: PasswordRule) -> String {
        sentences.lines(of: rule, in: languages).joined(separator: ", ")
    }

    /// The demands of a validation, which the person reads before answering.
    func hint(_ validation: Validation) -> String {
        sentences.lines(of: validation, in: languages).joined(separator: ", ")
    }

    /// The sentence for the part of a validation that is not met.
    func sentence(_ fault: Validation.Fault, of validation: Validation?) -> String? {
        validation.flatMap { sentences.sentence(for: fault.rule, of: $0, in: languages) }
    }

    /// The rule for new PINs, which the person reads before choosing one.
    func hint(_ rule: PINRule) -> String {
        let values = ["min": "\(rule.minLength)", "max": "\(PINRule.lengths.upperBound)"]
        return self[rule.digitsOnly ? .ruleDigits : .ruleLength, values]
    }

    /// The problem of an answer to a node.
    ///
    /// - Parameters:
    ///   - code: The kind of problem.
    ///   - node: The node.
    ///   - most: The most characters, if the node does not say it.
    /// - Returns: The problem with its sentence.
    func problem(_ code: NodeProblem.Code, of node: Node, most: Int? = nil) -> NodeProblem {
        let text = sentences.problem(code, of: node, label: node.label, most: most)
        return NodeProblem(name: node.name, code: code, text: text ?? self[.wrong])
    }
}

extension Texts {
    /// The mail of a draft; a code stands alone on a line.
    func mail(_ draft: MailDraft) -> OutboxMail {
        switch draft {
        case .code(let to, let code): mail(to, .codeMailSubject, .codeMail, ["code": code.reveal()])
        case .notInvited(let to): mail(to, .notInvitedMailSubject, .notInvitedMail)
        case .accountExists(let to): mail(to, .accountExistsMailSubject, .accountExistsMail)
        }
    }

    private func mail(
        _ to: String,
        _ subject: TextKey,
        _ body: TextKey,
        _ values: [String: String] = [:]
    ) -> OutboxMail {
        OutboxMail(to: to, subject: self[subject], body: Secret(self[body, values] + "\n"))
    }
}
