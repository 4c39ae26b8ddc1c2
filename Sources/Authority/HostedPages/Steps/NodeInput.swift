import FlowModel
import Localization
import Policies

struct NodeInput {
    let node: Node
    let fields: StepFields
    let id: String

    var attributes: Markup { Markup(attributes: [("id", id), ("name", node.name)] + common + own) }

    var shownAttributes: Markup {
        let shown: [(name: StaticString, value: String?)] = [
            ("name", PageForm.Field.shown + node.name), ("type", "text"),
            ("aria-label", fields.texts.text("shown", ["label": fields.label(node)])), ("autocomplete", "off"),
            ("autocapitalize", "none"), ("spellcheck", "false"),
        ]
        return Markup(attributes: shown + described)
    }

    var groupAttributes: Markup {
        let ids = descriptions.joined(separator: " ")
        let described: [(name: StaticString, value: String?)] = [("aria-describedby", ids)]
        return Markup(attributes: ids.isEmpty ? [] : described)
    }

    private var common: [(name: StaticString, value: String?)] {
        var list: [(name: StaticString, value: String?)] = []
        if let token = autocomplete { list.append(("autocomplete", token)) }
        if node.required { list.append(("required", nil)) }
        if isFirst { list.append(("autofocus", nil)) }
        return list + described
    }

    private var described: [(name: StaticString, value: String?)] {
        let ids = descriptions
        var list: [(name: StaticString, value: String?)] = []
        if hasProblem || isWrong { list.append(("aria-invalid", "true")) }
        if !ids.isEmpty { list.append(("aria-describedby", ids.joined(separator: " "))) }
        return list
    }

    private var hasProblem: Bool { fields.page.previous.problems.contains { $0.name == node.name } }

    private var isWrong: Bool { fields.page.wrongs.contains { $0.node == node.name } }

    private var descriptions: [String] {
        var ids: [String] = []
        if hasProblem { ids.append("\(id)-wrong") } else if isWrong { ids.append("summary") }
        if !fields.rules(node).isEmpty || node.hint != nil { ids.append("\(id)-hint") }
        return ids
    }

    /// Whether this is the first field without a value, in which the cursor starts unless the page shows errors.
    private var isFirst: Bool {
        guard !fields.page.hasErrors else { return false }
        return fields.page.step.nodes.first { $0.kind.isAnswered && fields.current($0) == nil }?.name == node.name
    }

    private var own: [(name: StaticString, value: String?)] {
        switch node.kind {
        case .text where node.input == .textArea:
            return [("rows", "4")] + bounds + [("dir", "auto")]
        case .text:
            let isName = node.name == "username"
            let takesAddress =
                isName && fields.page.policy.signInName == .email
                && fields.page.step.type != .attributes && !fields.isForeign
            return text(type: "text", inputmode: takesAddress ? "email" : nil)
                + (isName ? [("autocapitalize", "none"), ("spellcheck", "false"), ("dir", "auto")] : [])
                + (fields.isFixed(node) ? [("readonly", nil)] : [])
        case .email:
            return text(type: "email", inputmode: "email") + [("autocapitalize", "none"), ("spellcheck", "false")]
        case .number: return text(type: "text", inputmode: "numeric")
        case .date: return text(type: "date", inputmode: nil) + days
        case .code:
            return [
                ("class", "code"), ("type", "text"), ("inputmode", node.pattern == "digits" ? "numeric" : "text"),
                ("dir", "ltr"), ("autocapitalize", "none"), ("spellcheck", "false"), ("enterkeyhint", "go"),
            ] + given([("data-digits", fields.page.digitsSentAtOnce.map { "\($0)" })])
        case .secret:
            let isDigits = node.pattern == "digits"
            return [("type", "password"), ("dir", "ltr"), ("enterkeyhint", "go")]
                + (isDigits ? [("class", "code"), ("inputmode", "numeric")] : [])
                + (node.minLength.map { [("minlength", "\($0)")] } ?? [])
        // The answer could contain a secret, so hide it like a password.
        case .json: return [("type", "password"), ("dir", "ltr"), ("enterkeyhint", "go")]
        case .select, .multiselect, .bool, .info, .link, .image: return []
        }
    }

    private func text(type: String, inputmode: String?) -> [(name: StaticString, value: String?)] {
        var list: [(name: StaticString, value: String?)] = [("type", type), ("enterkeyhint", "next")]
        if let inputmode { list.append(("inputmode", inputmode)) }
        list += bounds
        if let value = fields.current(node) { list.append(("value", value)) }
        return list
    }

    private var bounds: [(name: StaticString, value: String?)] {
        given([("minlength", node.minLength.map { "\($0)" }), ("maxlength", node.maxLength.map { "\($0)" })])
    }

    private var days: [(name: StaticString, value: String?)] {
        given([("min", node.minimum), ("max", node.maximum)])
    }

    private func given(_ list: [(name: StaticString, value: String?)]) -> [(name: StaticString, value: String?)] {
        list.filter { $0.value != nil }
    }

    /// The value of the `autocomplete` attribute for password managers, or `nil` to omit it (HTML §4.10.18.7).
    private var autocomplete: String? {
        switch node.kind {
        case .code:
            return fields.page.step.type.rawValue.hasPrefix("totp") || node.name == "code" ? "one-time-code" : "off"
        case .secret where fields.isNew(node): return "new-password"
        case .secret where node.name == "password": return "current-password"
        case .secret, .json: return "off"
        case .email where fields.page.policy.signInName == .email: return "username"
        case .text, .email, .number, .select, .multiselect, .bool, .date, .info, .link, .image:
            return Self.tokens[node.name]
        }
    }

    private static let tokens = [
        "username": "username", "email": "email", "displayName": "name", "givenName": "given-name",
        "surname": "family-name", "jobTitle": "organization-title", "streetAddress": "street-address",
        "postalCode": "postal-code", "city": "address-level2", "state": "address-level1", "country": "country-name",
        "preferredLanguage": "language",
    ]
}
