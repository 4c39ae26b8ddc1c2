public import FlowModel
public import Localization

extension PageTexts {
    /// Returns the lines that describe the rule for new passwords, one for each requirement.
    public func lines(of rule: PasswordRule, in languages: [LanguageTag]) -> [String] {
        let length = text("rule.length", ["min": "\(rule.minLength)", "max": "\(rule.maxLength)"])
        let usual =
            switch rule.classes {
            case ...1: [length]
            case 4...: [length, text("rule.allClasses")]
            default: [length, text("rule.classes", ["count": "\(rule.classes)"])]
            }
        return usual + (rule.validation.map { lines(of: $0, in: languages) } ?? [])
    }
}

extension PageTexts {
    /// Returns the lines that describe a validation, one for each group or predicate.
    public func lines(of validation: Validation, in languages: [LanguageTag]) -> [String] {
        validation.groups.flatMap { group in
            if let help = group.help.anyText(in: languages) { return [help] }
            return group.needsAll
                ? group.predicates.compactMap { $0.help.anyText(in: languages) } : [sentence(of: group, languages)]
        }
    }

    /// Returns the sentence that explains a predicate or a group of predicates, or `nil` if there is no such rule.
    ///
    /// `rule` is the name of a predicate, or the name of the validation and the number of the group, such as
    /// `strong/2`.
    public func sentence(for rule: String, of validation: Validation, in languages: [LanguageTag]) -> String? {
        for (index, group) in validation.groups.enumerated() {
            let help = group.help.anyText(in: languages)
            if rule == "\(validation.name)/\(index + 1)" { return help ?? sentence(of: group, languages) }
            if group.needsAll, let predicate = group.predicates.first(where: { $0.name == rule }) {
                return help ?? predicate.help.anyText(in: languages)
            }
        }
        return nil
    }

    private func sentence(of group: Validation.Group, _ languages: [LanguageTag]) -> String {
        let rules = group.predicates.compactMap { $0.help.anyText(in: languages) }.joined(separator: ", ")
        return text("rule.atLeast", ["count": "\(group.atLeast)", "rules": rules])
    }
}

extension [String: String] {
    func text(in languages: [LanguageTag]) -> String? {
        let own = Dictionary(map { ($0.key.lowercased(), $0.value) }) { first, _ in first }
        return languages.lazy.flatMap(\.ranges).compactMap { own[$0] }.first
    }

    /// Returns the text in the first of `languages` that exists, or else the text whose language tag sorts first.
    func anyText(in languages: [LanguageTag]) -> String? {
        text(in: languages) ?? self.min { $0.key < $1.key }?.value
    }
}
