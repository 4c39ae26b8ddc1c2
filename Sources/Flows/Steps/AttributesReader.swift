import FlowModel
import OAuth
import Policies

/// Reads a new person's answers to the attributes of a policy, and fills in known values.
struct AttributesReader {
    let machine: FlowMachine
    let state: FlowRunState

    private var policy: Policy { machine.policy }

    /// The field of an attribute.
    func node(_ rule: AttributeRule) -> Node {
        Node(
            name: rule.name,
            kind: rule.nodeKind,
            label: rule.label(in: policy.language),
            required: rule.required || policy.signInName.attributes.contains(rule.name),
            value: value(of: rule)?.shown,
            minLength: rule.minLength > 0 ? rule.minLength : nil,
            maxLength: rule.isText ? rule.maxLength : nil,
            options: rule.options.isEmpty ? nil : rule.options
        )
    }

    /// The values that were given; problems are recorded.
    func values(_ answers: inout Answers) -> [String: JSONValue] {
        var values: [String: JSONValue] = [:]
        for rule in policy.attributes {
            if let value = read(rule, &answers) { values[rule.name] = value }
        }
        return values
    }

    private func read(_ rule: AttributeRule, _ answers: inout Answers) -> JSONValue? {
        let isName = policy.signInName.attributes.contains(rule.name)
        guard let value = answers.take(rule.name) ?? value(of: rule) else {
            if rule.required || isName { answers.note(rule.name, .missing, "An answer is needed.") }
            return nil
        }
        let text: String? =
            switch rule.kind {
            case .string, .email: value.string
            case .boolean: value.bool.map { "\($0)" }
            case .int: value.int.map { "\($0)" }
            }
        guard let text else {
            answers.note(rule.name, .wrongType, "This must be \(rule.kind.noun).")
            return nil
        }
        if let refusal = rule.refusal(of: text) {
            answers.note(rule.name, refusal.code, refusal.description + ".")
            return nil
        }
        if text.isEmpty {
            if isName { answers.note(rule.name, .missing, "An answer is needed.") }
            return nil
        }
        return value
    }

    private func value(of rule: AttributeRule) -> JSONValue? {
        if let value = state.prefill[rule.name] { return value }
        guard policy.signInName.attributes.contains(rule.name) else { return nil }
        let name = machine.knownName(state)
        if rule.kind == .email { return name.flatMap { AttributeRule.isAddress($0) ? .string($0) : nil } }
        return policy.signInName == .username ? name.map { .string($0) } : nil
    }
}

extension AttributeRule {
    fileprivate var nodeKind: Node.Kind {
        if !options.isEmpty { return .select }
        return switch kind {
        case .string: .text
        case .boolean: .bool
        case .int: .number
        case .email: .email
        }
    }

    fileprivate var isText: Bool {
        switch kind {
        case .string, .email: true
        case .boolean, .int: false
        }
    }
}

extension AttributeRule.Kind {
    /// The noun to show.
    fileprivate var noun: String {
        switch self {
        case .string, .email: "text"
        case .boolean: "true or false"
        case .int: "a whole number"
        }
    }
}

extension AttributeRule.Refusal {
    fileprivate var code: NodeProblem.Code {
        switch self {
        case .missing: .missing
        case .tooShort: .tooShort
        case .tooLong: .tooLong
        case .notAnOption: .notAnOption
        case .malformed, .noAddress, .forbiddenCharacters: .malformed
        }
    }
}

extension JSONValue {
    /// A value as a field shows it.
    fileprivate var shown: String? {
        switch self {
        case .string(let text): text
        case .bool(let value): "\(value)"
        case .int(let value): "\(value)"
        case .null, .double, .array, .object: nil
        }
    }
}
