import FlowModel
import PageTexts
import Policies

/// The fields of a step's page, one for each node in its order.
struct StepFields {
    let page: StepPage
    let texts: PageTexts

    /// The nodes that are asked for by fields.
    private var nodes: [Node] { page.isDecision ? [] : page.step.nodes }

    /// The values of every field.
    var values: [TemplateValue] { nodes.map(value) }

    /// The id of a node's field; nil if nothing is typed into it.
    func id(_ node: String) -> String? {
        nodes.firstIndex { $0.name == node && $0.kind.isAnswered }.map { "field-\($0 + 1)" }
    }

    /// The page's own words for what is wrong with an answer, else the words of the flow.
    func words(_ problem: NodeProblem) -> String {
        guard let node = nodes.first(where: { $0.name == problem.name }) else { return problem.text }
        return texts.problem(problem.code, of: node, label: label(node)) ?? problem.text
    }

    /// True for a step of a custom identity provider, whose fields are named by it and mean nothing here.
    var isForeign: Bool { page.step.type == .external }

    /// A node's label: the policy's in the page's language, the page's own, or the flow's.
    func label(_ node: Node) -> String {
        if isForeign { return (node.kind == .json ? texts.sentence("node.anything") : nil) ?? node.label }
        let languages = [texts.language, page.policy.language, .english]
        return page.policy.attribute(node.name)?.label(in: languages) ?? labelKey(node).flatMap(texts.sentence)
            ?? node.label
    }

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
        let id = id(node.name) ?? ""
        let problem = page.problems.first { $0.name == node.name }.map(words)
        let rules = rules(node)
        let hint = node.hint != nil && rules.isEmpty ? node.hint : nil
        let picture = picture(node)
        return [
            "kind": .text(node.kind.template),
            "id": .text(id),
            "name": .text(node.name),
            "label": .text(label(node)),
            "optional": node.required || !node.kind.isAnswered ? false : .text(texts.text("optional")),
            "input": .markup(NodeInput(node: node, fields: self, id: id).attributes),
            "current": .text(picture == nil ? current(node) : nil),
            "picture": picture.map { .markup($0) } ?? false,
            "isOn": .flag(current(node) == "true"),
            "options": .list(options(node)),
            "choose": .text(texts.text("choose")),
            "hint": .text(hint),
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

    /// The QR code that stands for the text of what is to be scanned; nil if the text is too long for one.
    private func picture(_ node: Node) -> Markup? {
        guard node.kind == .image, let value = node.value else { return nil }
        return Markup(qrCodeOf: value, label: texts.text("qr.label"))
    }

    /// The value that a field is filled in with; never a secret or a code.
    func current(_ node: Node) -> String? {
        switch node.kind {
        case .secret, .code, .json: nil
        case .info, .link, .image: node.value
        case .text, .email, .number, .select, .multiselect, .bool, .date:
            isFixed(node) ? page.person : page.kept[node.name] ?? node.value
        }
    }

    /// True for the name of a person who is known already.
    func isFixed(_ node: Node) -> Bool { node.name == "username" && page.person != nil && !isForeign }

    /// True for a secret that is set here, and so may be looked at while it is typed.
    func isNew(_ node: Node) -> Bool {
        node.kind == .secret && (page.step.type == .attributes || node.name == "newPassword")
    }

    private func options(_ node: Node) -> [TemplateValue] {
        let chosen = Set((current(node) ?? "").split(separator: "\n").map(String.init))
        return (node.options ?? []).enumerated().map { index, option in
            [
                "optionID": .text("\(id(node.name) ?? "")-\(index + 1)"),
                "option": .text(option),
                "isChosen": .flag(chosen.contains(option)),
            ]
        }
    }

    /// The rule for a new password, a line each.
    func rules(_ node: Node) -> [String] {
        isNew(node) ? texts.lines(of: page.policy.password) : []
    }
}

extension Node.Kind {
    /// True for a kind that a person answers; the others are only shown.
    var isAnswered: Bool {
        switch self {
        case .text, .secret, .code, .email, .number, .select, .multiselect, .bool, .date, .json: true
        case .info, .link, .image: false
        }
    }

    /// The template of its field.
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
