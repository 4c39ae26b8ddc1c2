import FlowModel
import Policies

extension Texts {
    /// The problem of an answer to an attribute.
    func problem(_ name: String, _ refusal: AttributeRule.Refusal) -> NodeProblem {
        let (code, text): (NodeProblem.Code, String) =
            switch refusal {
            case .missing: (.missing, self[.missing])
            case .tooShort(let least): (.tooShort, self[.tooShort, ["least": "\(least)"]])
            case .tooLong(let most): (.tooLong, self[.tooLong, ["most": "\(most)"]])
            case .notAnOption(let options):
                (.notAnOption, self[.notAnOption, ["options": options.joined(separator: ", ")]])
            case .malformed: (.malformed, self[.malformed])
            case .noAddress: (.malformed, self[.noAddress])
            case .forbiddenCharacters: (.malformed, self[.forbiddenCharacters])
            }
        return NodeProblem(name: name, code: code, text: text)
    }

    /// The problem of a PIN.
    func problem(_ name: String, _ refusal: PINRule.Refusal) -> NodeProblem {
        let (code, text): (NodeProblem.Code, String) =
            switch refusal {
            case .tooShort(let least): (.tooShort, self[.pinTooShort, ["least": "\(least)"]])
            case .tooLong(let most): (.tooLong, self[.pinTooLong, ["most": "\(most)"]])
            case .notDigits: (.malformed, self[.pinDigits])
            }
        return NodeProblem(name: name, code: code, text: text)
    }

    /// The problem of a new password.
    func problem(_ name: String, _ refusal: PasswordRule.Refusal) -> NodeProblem {
        let (code, text): (NodeProblem.Code, String) =
            switch refusal {
            case .tooShort(let least): (.tooShort, self[.passwordTooShort, ["least": "\(least)"]])
            case .tooLong(let most): (.tooLong, self[.passwordTooLong, ["most": "\(most)"]])
            case .tooFewClasses(4): (.tooWeak, self[.passwordNotAllClasses])
            case .tooFewClasses(let classes): (.tooWeak, self[.passwordTooFewClasses, ["classes": "\(classes)"]])
            }
        return NodeProblem(name: name, code: code, text: text)
    }
}
