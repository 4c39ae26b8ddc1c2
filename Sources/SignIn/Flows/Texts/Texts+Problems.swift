import FlowModel
import Policies

extension Texts {
    func problem(_ node: Node, _ refusal: AttributeRule.Refusal, of rule: AttributeRule) -> NodeProblem {
        switch refusal {
        case .missing: problem(.missing, of: node)
        case .tooShort: problem(.tooShort, of: node)
        case .tooLong(let most): problem(.tooLong, of: node, most: most)
        case .notAnOption: problem(.notAnOption, of: node)
        case .malformed, .noAddress: problem(.malformed, of: node)
        case .outOfRange: problem(.outOfRange, of: node)
        case .wrongType: problem(.wrongType, of: node)
        case .unmet(let fault): problem(fault.reason.code, fault, rule.validation, of: node)
        case .forbiddenCharacters: malformed(.forbiddenCharacters, of: node)
        case .tooManyItems(let most): malformed(.tooManyItems, ["max": "\(most)"], of: node)
        case .itemTwice(let item):
            malformed(.itemTwice, ["item": node.optionLabels?[item] ?? item], of: node)
        }
    }

    private func malformed(_ key: TextKey, _ values: [String: String] = [:], of node: Node) -> NodeProblem {
        let text = self[key, values.merging(["label": node.label]) { $1 }]
        return NodeProblem(name: node.name, code: .malformed, text: text)
    }

    func problem(_ node: Node, _ refusal: PasswordRule.Refusal, of rule: PasswordRule) -> NodeProblem {
        switch refusal {
        case .tooShort: problem(.tooShort, of: node)
        case .tooLong: problem(.tooLong, of: node)
        case .tooFewClasses: problem(.tooWeak, of: node)
        case .unmet(let fault): problem(fault.reason.codeOfPassword, fault, rule.validation, of: node)
        }
    }

    private func problem(
        _ code: NodeProblem.Code,
        _ fault: Validation.Fault,
        _ validation: Validation?,
        of node: Node
    ) -> NodeProblem {
        let text = sentence(fault, of: validation) ?? problem(code, of: node).text
        return NodeProblem(name: node.name, code: code, text: text, rule: fault.rule)
    }
}

extension PINRule.Refusal {
    var code: NodeProblem.Code {
        switch self {
        case .tooShort: .tooShort
        case .tooLong: .tooLong
        case .notDigits: .malformed
        }
    }
}

extension Predicate.Unmet {
    var code: NodeProblem.Code {
        switch self {
        case .tooShort: .tooShort
        case .tooLong: .tooLong
        case .outOfRange: .outOfRange
        case .malformed: .malformed
        }
    }

    /// The problem code to report for a new password, where a malformed password counts as too weak.
    fileprivate var codeOfPassword: NodeProblem.Code {
        switch self {
        case .tooShort, .tooLong, .outOfRange: code
        case .malformed: .tooWeak
        }
    }
}
