public import FlowModel
public import Localization

extension PageTexts {
    /// The demands of a validation, a line for each part.
    ///
    /// - Parameters:
    ///   - validation: The validation.
    ///   - languages: The languages of the person, the best first.
    /// - Returns: The lines.
    public func lines(of validation: Validation, in languages: [LanguageTag]) -> [String] {
        validation.groups.flatMap { group in
            if let help = group.help.anyText(in: languages) { return [help] }
            return group.needsAll
                ? group.predicates.compactMap { $0.help.anyText(in: languages) } : [sentence(of: group, languages)]
        }
    }

    /// The sentence for the part of a validation that was not met, by its name; nil if there is no such part.
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
