public import PageTexts

extension PageTexts {
    /// The rule for new passwords, a line for each of its parts.
    public func lines(of rule: PasswordRule) -> [String] {
        let length = text("rule.length", ["min": "\(rule.minLength)", "max": "\(rule.maxLength)"])
        return switch rule.classes {
        case ...1: [length]
        case 4...: [length, text("rule.allClasses")]
        default: [length, text("rule.classes", ["count": "\(rule.classes)"])]
        }
    }
}
