import Localization
import Policies

/// HTML that is safe to show: written here, or made of text by ``init(escaping:)``.
struct Markup: Hashable, Sendable {
    let html: String

    private init(html: String) { self.html = html }

    /// HTML of this target's own.
    init(_ own: StaticString) { html = own.description }

    /// A part of an operator's template, which was looked through when its policy was read.
    init(of template: PageTemplate?, _ part: KeyPath<PageTemplate, String>) {
        html = template?[keyPath: part] ?? ""
    }

    /// Text from anywhere, as text of an element or the value of a quoted attribute.
    ///
    /// It goes scalar by scalar: a quote that a combining character follows is one character of Swift, and still ends an
    /// attribute. What hides or turns text (controls, marks of direction) becomes U+FFFD.
    init(escaping text: String) {
        var result = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            switch scalar {
            case "<": result.append(contentsOf: "&lt;".unicodeScalars)
            case ">": result.append(contentsOf: "&gt;".unicodeScalars)
            case "&": result.append(contentsOf: "&amp;".unicodeScalars)
            case "\"": result.append(contentsOf: "&quot;".unicodeScalars)
            case "'": result.append(contentsOf: "&#39;".unicodeScalars)
            case "\n", "\t": result.append(" ")
            case _ where Self.hides(scalar): result.append("\u{FFFD}")
            default: result.append(scalar)
            }
        }
        html = String(result)
    }

    /// Text from anywhere as lines of an element that keeps them.
    init(lines text: String) {
        html = text.replacing("\r\n", with: "\n").split(separator: "\n", omittingEmptySubsequences: false)
            .map { Markup(escaping: String($0)).html }.joined(separator: "\n")
    }

    /// Text from anywhere as the value of a quoted attribute that nobody sees, so that it comes back as it is: what hides
    /// or turns text is written as its number.
    init(exactly text: String) {
        html = text.unicodeScalars.map { scalar in
            Self.hides(scalar) ? "&#\(scalar.value);" : Markup(escaping: String(scalar)).html
        }.joined()
    }

    /// A sentence whose values stand out, each with a direction of its own.
    init(_ texts: PageTexts, _ key: String, _ values: [String: String] = [:]) {
        html = PageTexts.pieces(of: texts.sentence(key) ?? key).map { piece in
            switch piece {
            case .words(let words): Markup(escaping: words).html
            case .value(let name): "<b><bdi>\(Markup(escaping: values[name] ?? "").html)</bdi></b>"
            }
        }.joined()
    }

    /// The start tag's attributes, each after a space; those without a value are only named.
    init(attributes: [(name: StaticString, value: String?)]) {
        html = attributes.map { attribute in
            attribute.value.map { " \(attribute.name)=\"\(Markup(escaping: $0).html)\"" } ?? " \(attribute.name)"
        }.joined()
    }

    static func + (a: Markup, b: Markup) -> Markup { Markup(html: a.html + b.html) }

    private static func hides(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator: return true
        case .format: break
        default: return false
        }
        switch scalar.value {
        case 0x200E, 0x200F, 0x202A...0x202E, 0x2066...0x2069, 0x061C, 0xFEFF: return true
        default: return false
        }
    }
}
