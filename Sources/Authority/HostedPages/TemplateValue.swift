/// A value for a Mustache template, in which text is always escaped.
enum TemplateValue: Sendable {
    case markup(Markup)
    case flag(Bool)
    case list([TemplateValue])
    case object([String: TemplateValue])

    static func text(_ text: String) -> TemplateValue { .markup(Markup(escaping: text)) }

    /// Creates a value from text, or a value that hides a section of the template if the text is `nil`.
    static func text(_ text: String?) -> TemplateValue { text.map { .text($0) } ?? .flag(false) }

    /// The value, converted to a type that the Mustache library supports.
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
