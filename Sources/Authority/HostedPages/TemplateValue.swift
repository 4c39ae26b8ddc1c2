/// A value for a template.
///
/// Text is always escaped, regardless of how the template uses it.
enum TemplateValue: Sendable {
    case markup(Markup)
    case flag(Bool)
    case list([TemplateValue])
    case object([String: TemplateValue])

    /// Creates a value from untrusted text.
    static func text(_ text: String) -> TemplateValue { .markup(Markup(escaping: text)) }

    /// Creates a value from text that can be missing.
    ///
    /// `nil` hides the section around the value.
    static func text(_ text: String?) -> TemplateValue { text.map { .text($0) } ?? .flag(false) }

    /// The value as the type that the Mustache library expects.
    var plain: Any {
        switch self {
        case .markup(let markup): markup.html
        case .flag(let flag): flag
        case .list(let values): values.map(\.plain)
        case .object(let members): members.mapValues(\.plain)
        }
    }
}

extension TemplateValue: ExpressibleByBooleanLiteral {
    init(booleanLiteral value: Bool) { self = .flag(value) }
}

extension TemplateValue: ExpressibleByArrayLiteral {
    init(arrayLiteral elements: TemplateValue...) { self = .list(elements) }
}

extension TemplateValue: ExpressibleByDictionaryLiteral {
    init(dictionaryLiteral elements: (String, TemplateValue)...) {
        self = .object(Dictionary(elements, uniquingKeysWith: { $1 }))
    }
}
