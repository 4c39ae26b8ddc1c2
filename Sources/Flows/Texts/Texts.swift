import FlowModel
import Policies

/// The sentences of flows in one language.
enum Texts: String, CaseIterable, Hashable, Sendable {
    case english = "en"
    case german = "de"

    /// The first of `languages` that there is; English if there is none.
    init(for languages: [LanguageTag]) {
        self = languages.lazy.flatMap(\.ranges).compactMap { Texts(rawValue: $0) }.first ?? .english
    }

    /// The sentence of a key, its braces filled in.
    subscript(_ key: TextKey, _ values: [String: String] = [:]) -> String {
        let template =
            switch self {
            case .english: key.english
            case .german: key.german
            }
        let parts = template.split(separator: "{", omittingEmptySubsequences: false)
        return parts.dropFirst().reduce(into: String(parts.first ?? "")) { text, part in
            let pieces = part.split(separator: "}", maxSplits: 1, omittingEmptySubsequences: false)
            text += (values[String(pieces[0])] ?? "") + (pieces.count > 1 ? pieces[1] : "")
        }
    }

    /// A message to show with a step; its code is the key's word.
    func message(
        _ key: TextKey,
        _ level: Message.Level,
        node: String? = nil,
        _ values: [String: String] = [:]
    ) -> Message {
        Message(code: key.rawValue, level: level, text: self[key, values], node: node)
    }

    /// The label of the sign-in name.
    func signInName(_ name: Policies.SignInName) -> String {
        switch name {
        case .email: self[.email]
        case .username: self[.username]
        case .both: self[.emailOrUsername]
        }
    }

    /// The message that a code step opens with.
    ///
    /// - Parameters:
    ///   - hint: The part of the address by which its owner recognises it.
    ///   - outbox: The folder in which mails stay.
    /// - Returns: The message, with the folder if there is one.
    func codeSent(to hint: String, outbox: String?) -> Message {
        let text = outbox.map { self[.codeInOutbox, ["hint": hint, "outbox": $0]] } ?? self[.codeSent, ["hint": hint]]
        return Message(code: TextKey.codeSent.rawValue, level: .info, text: text)
    }

    /// The rule for new passwords, which the person reads before choosing one.
    func hint(_ rule: PasswordRule) -> String {
        let key: TextKey =
            switch rule.classes {
            case ...1: .passwordLength
            case 4...: .passwordAllClasses
            default: .passwordClasses
            }
        return self[key, ["least": "\(rule.minLength)", "most": "\(rule.maxLength)", "classes": "\(rule.classes)"]]
    }

    /// The rule for new PINs, which the person reads before choosing one.
    func hint(_ rule: PINRule) -> String {
        let values = ["least": "\(rule.minLength)", "most": "\(PINRule.lengths.upperBound)"]
        return rule.digitsOnly ? self[.pinRuleDigits, values] : self[.pinRule, values]
    }
}
