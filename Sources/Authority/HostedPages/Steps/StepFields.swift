import FlowModel
import Localization
import Policies

/// The fields on a step's page, one for each node, in the order of the nodes.
struct StepFields {
    let page: StepPage
    let texts: PageTexts

    private var nodes: [Node] { page.isDecision ? [] : page.step.nodes }

    var values: [TemplateValue] { nodes.map(value) }

    func id(_ node: String) -> String? {
        nodes.firstIndex { $0.name == node && $0.kind.isAnswered }.map { "field-\($0 + 1)" }
    }

    func words(_ problem: NodeProblem) -> String {
        guard let node = nodes.first(where: { $0.name == problem.name }) else { return problem.text }
        if let rule = problem.rule {
            return validation(node).flatMap { texts.sentence(for: rule, of: $0, in: languages) } ?? problem.text
        }
        return texts.problem(problem.code, of: node, label: label(node)) ?? problem.text
    }

    /// Whether the step belongs to a custom identity provider, which chooses the names of the fields.
    var isForeign: Bool { page.step.type == .external }

    func label(_ node: Node) -> String {
        if isForeign { return (node.kind == .json ? texts.sentence("node.anything") : nil) ?? node.label }
        return page.policy.attribute(node.name)?.label(in: languages) ?? labelKey(node).flatMap(texts.sentence)
            ?? node.label
    }

    private var languages: [LanguageTag] { [texts.language, page.policy.language, .english] }

    private func labelKey(_ node: Node) -> String? {
        switch (node.name, page.step.type.rawValue) {
        case ("username", "attributes"): "node.username.username"
        case ("username", _): "node.username.\(page.policy.signInName.rawValue)"
        case ("password", "attributes"): "node.newPassword"
        case ("password", "password_change"): "node.oldPassword"
        case ("code", "totp"), ("code", "totp_setup"): "node.appCode"
        default: "node.\(node.name)"
        }
    }

    private func value(_ node: Node) -> TemplateValue {
        let id = id(node.name) ?? shownID(node)
        let problem = page.previous.problems.first { $0.name == node.name }.map(words)
        let rules = rules(node)
        let hint = node.hint != nil && rules.isEmpty ? node.hint : nil
        let picture = picture(node)
        return [
            "kind": .text(node.template),
            "id": .text(id),
            "name": .text(node.name),
            "label": .text(label(node)),
            "optional": node.required || !node.kind.isAnswered ? false : .text(texts.text("optional")),
            "input": .markup(NodeInput(node: node, fields: self, id: id).attributes),
            "group": .markup(NodeInput(node: node, fields: self, id: id).groupAttributes),
            "current": .text(picture == nil ? current(node) : nil),
            "lines": .markup(Markup(lines: current(node) ?? "")),
            "picture": picture.map { .markup($0) } ?? false,
            "isOn": .flag(current(node) == "true"),
            "options": .list(options(node)),
            "choose": .text(texts.text("choose")),
            "hint": .text(hint),
            "sentAtOnce": node.kind == .code && page.digitsSentAtOnce != nil ? .text(texts.text("code.atOnce")) : false,
            "rules": rules.isEmpty ? false : .list(rules.map { .text($0) }),
            "hasRules": .flag(!rules.isEmpty),
            "problem": .text(problem),
            "problemIcon": .markup(Icon.alert.markup),
            "reveal": isNew(node)
                ? [
                    "showField": .text(PageForm.Field.show + node.name),
                    "showLabel": .text(texts.text("show")),
                    "shown": .markup(NodeInput(node: node, fields: self, id: id).shownAttributes),
                ] : false,
        ]
    }

    private func shownID(_ node: Node) -> String {
        guard node.input == .readonly else { return "" }
        return "shown-\((nodes.firstIndex { $0.name == node.name } ?? 0) + 1)"
    }

    /// Returns an image node's value as a QR code, or `nil` if the node is not an image or the value is too long.
    private func picture(_ node: Node) -> Markup? {
        guard node.kind == .image, let value = node.value else { return nil }
        return Markup(qrCodeOf: value, label: texts.text("qr.label"))
    }

    /// Returns the value that the page shows for the node, never a typed secret or code, or `nil` to show none.
    func current(_ node: Node) -> String? {
        switch node.kind {
        case .secret, .code, .json: nil
        case .info, .link, .image: node.value
        // Browsers do not post unchecked boxes, so a value that is missing after the first page means unchecked.
        case .multiselect, .bool: page.previous.kept.isEmpty ? node.value : page.previous.kept[node.name]
        case .text, .email, .number, .select, .date:
            isFixed(node) ? page.person : page.previous.kept[node.name] ?? node.value
        }
    }

    /// Whether the field contains a known user's sign-in name, which cannot be changed.
    func isFixed(_ node: Node) -> Bool { node.name == "username" && page.person != nil && !isForeign }

    /// Whether the user chooses a new secret in this field, which the user can then make visible while typing.
    func isNew(_ node: Node) -> Bool {
        node.kind == .secret && (page.step.type == .attributes || node.name == "newPassword")
    }

    private func options(_ node: Node) -> [TemplateValue] {
        let chosen = Set((current(node) ?? "").split(separator: "\n").map(String.init))
        return choices(node).enumerated().map { index, choice in
            [
                "optionID": .text("\(id(node.name) ?? "")-\(index + 1)"),
                "option": .text(choice.value),
                "optionText": .text(choice.words),
                "isChosen": .flag(chosen.contains(choice.value)),
            ]
        }
    }

    private func choices(_ node: Node) -> [(value: String, words: String)] {
        switch node.kind {
        case .bool: return [("true", texts.text("answer.yes")), ("false", texts.text("answer.no"))]
        case .text, .secret, .code, .email, .number, .select, .multiselect, .date, .info, .link, .image, .json:
            let words = page.policy.attribute(node.name)?.optionLabels(in: languages) ?? [:]
            return (node.options ?? []).map { ($0, words[$0] ?? node.words(for: $0)) }
        }
    }

    func rules(_ node: Node) -> [String] {
        if isNew(node) { return texts.lines(of: page.policy.password, in: languages) }
        return validation(node).map { texts.lines(of: $0, in: languages) } ?? []
    }

    private func validation(_ node: Node) -> Validation? {
        if isForeign { return nil }
        return isNew(node) ? page.policy.password.validation : page.policy.attribute(node.name)?.validation
    }
}

extension Node.Kind {
    var isAnswered: Bool {
        switch self {
        case .text, .secret, .code, .email, .number, .select, .multiselect, .bool, .date, .json: true
        case .info, .link, .image: false
        }
    }

    fileprivate var template: String {
        switch self {
        case .text, .code, .email, .number, .date, .json: "input"
        case .secret: "secret"
        case .select: "select"
        case .multiselect: "ticks"
        case .bool: "tick"
        case .info, .image: "fact"
        case .link: "link"
        }
    }
}

extension Node {
    fileprivate var template: String {
        switch input {
        case .textArea where kind == .text: "textarea"
        case .radio where kind == .select || kind == .bool: "radios"
        case .readonly where kind == .info: "readonly"
        case .textArea, .radio, .readonly, nil: kind.template
        }
    }
}
