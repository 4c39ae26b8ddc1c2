import FlowModel
import Foundation
import OAuth
import Policies

/// The form for a policy's attributes: it creates nodes prefilled with known values, and reads the answers.
struct AttributeForm {
    let view: FlowView

    private var policy: Policy { view.policy }
    private var texts: Texts { view.texts }
    private var today: CalendarDay { view.machine.today }

    /// Returns the nodes for attributes, except for display-only attributes that have no value.
    func nodes(_ rules: [AttributeRule]) -> [Node] {
        rules.compactMap { $0.isShown ? shown($0) : node($0) }
    }

    private func node(_ rule: AttributeRule) -> Node {
        let days = rule.validation?.days(on: today)
        return Node(
            name: rule.name,
            kind: rule.nodeKind,
            label: label(rule),
            required: rule.required || isName(rule),
            value: (known(rule) ?? selected(rule)).flatMap(rule.shown),
            minLength: rule.minLength > 0 ? rule.minLength : nil,
            maxLength: rule.kind.isText ? rule.maxLength : nil,
            options: rule.options.isEmpty ? nil : rule.options.map(\.value),
            optionLabels: rule.options.allSatisfy(\.label.isEmpty) ? nil : rule.optionLabels(in: view.languages),
            input: rule.nodeInput,
            minimum: days?.first?.description,
            maximum: days?.last?.description,
            hint: rule.validation.map(texts.hint)
        )
    }

    private func shown(_ rule: AttributeRule) -> Node? {
        guard let value = known(rule), let text = rule.shown(value), !text.isEmpty else { return nil }
        let words = rule.optionLabels(in: view.languages)
        return Node(
            name: rule.name,
            kind: .info,
            label: label(rule),
            required: false,
            value: (value.strings ?? [text]).map { words[$0] ?? $0 }.joined(separator: ", "),
            input: rule.nodeInput
        )
    }

    private func isName(_ rule: AttributeRule) -> Bool { policy.signInName.attributes.contains(rule.name) }

    private func label(_ rule: AttributeRule) -> String {
        rule.label(in: view.languages) ?? texts.attribute(rule.name) ?? rule.name
    }

    /// Returns the values in the answers, and records problems in `answers`.
    func values(_ answers: inout Answers) -> [String: JSONValue] {
        var values: [String: JSONValue] = [:]
        for rule in view.plan.askedAttributes where !rule.isShown {
            if let value = read(rule, &answers) { values[rule.name] = value }
        }
        return values
    }

    /// Returns the new values of the user's attributes, with `null` for an attribute that was left empty.
    func edited(_ answers: inout Answers) -> [String: JSONValue] {
        var values: [String: JSONValue] = [:]
        for rule in policy.attributes where !rule.isShown {
            values[rule.name] = read(rule, &answers, fillsIn: false) ?? .null
        }
        return values
    }

    private func read(_ rule: AttributeRule, _ answers: inout Answers, fillsIn: Bool = true) -> JSONValue? {
        guard let given = answers.take(rule.name) ?? (fillsIn ? known(rule) : nil) else {
            if rule.required || isName(rule) { answers.note(rule.name, .missing) }
            return nil
        }
        let value = rule.spelled(given)
        if let refusal = rule.refusal(of: value, on: today) {
            answers.note(texts.problem(node(rule), refusal, of: rule))
            return nil
        }
        if rule.text(of: value)?.isEmpty == true {
            if isName(rule) { answers.note(rule.name, .missing) }
            return nil
        }
        return value
    }

    /// Returns the value to prefill for an attribute, or `nil` if no value is known.
    ///
    /// Values from the request that started the flow are not used for attributes that the user cannot change.
    private func known(_ rule: AttributeRule) -> JSONValue? {
        let inHand = view.record.inHand
        let filled = rule.isShown ? inHand.draft?.attributes[rule.name] : inHand.prefill[rule.name]
        if let value = filled ?? inHand.profile?[rule.name] { return rule.adopting(value) }
        guard isName(rule) else { return nil }
        let name = view.plan.knownName
        return switch (rule.kind, policy.signInName) {
        case (.email, _): name.flatMap { rule.adopting(.string($0)) }
        case (.string, .username): name.map { .string($0) }
        case (.string, .email), (.string, .both), (.boolean, _), (.int, _), (.long, _), (.date, _),
            (.stringCollection, _):
            nil
        }
    }

    private func selected(_ rule: AttributeRule) -> JSONValue? {
        view.record.inHand.profile == nil ? rule.selected : nil
    }
}

extension AttributeRule {
    /// Returns an answer as it is stored, with normalized line breaks.
    ///
    /// Names and addresses are stored in Unicode Normalization Form C, and the domains of addresses in ASCII.
    fileprivate func spelled(_ value: JSONValue) -> JSONValue {
        guard let text = value.string else { return value }
        if kind == .email || name == "username" {
            let name = text.precomposedStringWithCanonicalMapping
            return .string(kind == .email ? MailAddress.ascii(name) ?? name : name)
        }
        return input == .textArea ? .string(text.replacing("\r\n", with: "\n")) : value
    }

    /// Returns the value as text for users, with the domain of an e-mail address in Unicode.
    fileprivate func shown(_ value: JSONValue) -> String? {
        kind == .email ? text(of: value).map(MailAddress.shown) : text(of: value)
    }

    fileprivate var nodeKind: Node.Kind {
        switch kind {
        case .string: options.isEmpty ? .text : .select
        case .boolean: .bool
        case .int, .long: .number
        case .date: .date
        case .stringCollection: .multiselect
        case .email: .email
        }
    }

    fileprivate var nodeInput: Node.Input? {
        switch input {
        case .textArea: .textArea
        case .radio: .radio
        case .readonly: .readonly
        case .text, .dropdown, .checkboxes, .checkbox, .date, .email, .paragraph, nil: nil
        }
    }
}
