/// A value that a template shows; text in it is escaped, whatever the template does with it.
enum TemplateValue: Sendable {
    case markup(Markup)
    case flag(Bool)
    case list([TemplateValue])
    case object([String: TemplateValue])

    /// Text from anywhere.
    static func text(_ text: String) -> TemplateValue { .markup(Markup(escaping: text)) }

    /// Text that may be missing; a section around it is then left out.
    static func text(_ text: String?) -> TemplateValue { text.map { .text($0) } ?? .flag(false) }

    /// The value as Mustache reads it.
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
