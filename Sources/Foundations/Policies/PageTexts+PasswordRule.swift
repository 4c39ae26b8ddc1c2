public import FlowModel
public import Localization

extension PageTexts {
    /// The rule for new passwords, a line for each of its parts.
    ///
    /// - Parameters:
    ///   - rule: The rule.
    ///   - languages: The languages of the person, the best first.
    /// - Returns: The lines.
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
