import FlowModel
import Policies

extension Texts {
    /// The problem of an answer to an attribute.
    func problem(_ node: Node, _ refusal: AttributeRule.Refusal) -> NodeProblem {
        switch refusal {
        case .missing: problem(.missing, of: node)
        case .tooShort: problem(.tooShort, of: node)
        case .tooLong(let most): problem(.tooLong, of: node, most: most)
        case .notAnOption: problem(.notAnOption, of: node)
        case .malformed, .noAddress: problem(.malformed, of: node)
        case .forbiddenCharacters:
            NodeProblem(name: node.name, code: .malformed, text: self[.forbiddenCharacters, ["label": node.label]])
        }
    }
}

extension PINRule.Refusal {
    /// The kind of problem on the wire.
    var code: NodeProblem.Code {
        switch self {
        case .tooShort: .tooShort
        case .tooLong: .tooLong
        case .notDigits: .malformed
        }
    }
}

extension PasswordRule.Refusal {
    /// The kind of problem on the wire.
    var code: NodeProblem.Code {
        switch self {
        case .tooShort: .tooShort
        case .tooLong: .tooLong
        case .tooFewClasses: .tooWeak
        }
    }
}
