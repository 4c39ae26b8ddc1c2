import FlowModel
import OAuth
import Policies

/// Reads a person's answers to the attributes of a policy, and fills in known values.
struct AttributesReader {
    let context: FlowContext

    private var policy: Policy { context.policy }
    private var texts: Texts { context.texts }

    /// The field of an attribute.
    func node(_ rule: AttributeRule) -> Node {
        Node(
            name: rule.name,
            kind: rule.nodeKind,
            label: label(rule),
            required: rule.required || policy.signInName.attributes.contains(rule.name),
            value: value(of: rule)?.shown,
            minLength: rule.minLength > 0 ? rule.minLength : nil,
            maxLength: rule.isText ? rule.maxLength : nil,
            options: rule.options.isEmpty ? nil : rule.options
        )
    }

    /// The policy's own label, else the built-in one, else the attribute's name.
    private func label(_ rule: AttributeRule) -> String {
        rule.label(in: context.languages) ?? texts.attribute(rule.name) ?? rule.name
    }

    /// The values that were given; problems are recorded.
    func values(_ answers: inout Answers) -> [String: JSONValue] {
        var values: [String: JSONValue] = [:]
        for rule in policy.attributes {
            if let value = read(rule, &answers) { values[rule.name] = value }
        }
        return values
    }

    /// The values that take the place of the person's; null removes one that was left empty.
    func edited(_ answers: inout Answers) -> [String: JSONValue] {
        var values: [String: JSONValue] = [:]
        for rule in policy.attributes { values[rule.name] = read(rule, &answers, fillsIn: false) ?? .null }
        return values
    }

    private func read(_ rule: AttributeRule, _ answers: inout Answers, fillsIn: Bool = true) -> JSONValue? {
        let isName = policy.signInName.attributes.contains(rule.name)
        guard let value = answers.take(rule.name) ?? (fillsIn ? value(of: rule) : nil) else {
            if rule.required || isName { answers.note(rule.name, .missing) }
            return nil
        }
        let text: String? =
            switch rule.kind {
            case .string, .email: value.string
            case .boolean: value.bool.map { "\($0)" }
            case .int: value.int.map { "\($0)" }
            }
        guard let text else {
            answers.note(rule.name, .wrongType)
            return nil
        }
        if let refusal = rule.refusal(of: text) {
            answers.note(texts.problem(node(rule), refusal))
            return nil
        }
        if text.isEmpty {
            if isName { answers.note(rule.name, .missing) }
            return nil
        }
        return value
    }

    private func value(of rule: AttributeRule) -> JSONValue? {
        if let value = context.state.prefill[rule.name] ?? context.state.profile?[rule.name] { return value }
        guard policy.signInName.attributes.contains(rule.name) else { return nil }
        let name = context.knownName
        if rule.kind == .email { return name.flatMap { AttributeRule.isAddress($0) ? .string($0) : nil } }
        return switch policy.signInName {
        case .username: name.map { .string($0) }
        case .email, .both: nil
        }
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
