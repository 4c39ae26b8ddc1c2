import Localization
import Policies

/// HTML that is safe in a page: a literal of this target, a validated template, or escaped text.
struct Markup: Hashable, Sendable {
    let html: String

    private init(html: String) { self.html = html }

    init(_ own: StaticString) { html = own.description }

    /// Creates markup from a part of an operator's template, which was validated when the policy was read.
    init(of template: PageTemplate?, _ part: KeyPath<PageTemplate, String>) {
        html = template?[keyPath: part] ?? ""
    }

    /// Escapes untrusted text for an element's content or a quoted attribute value.
    ///
    /// It works on Unicode scalars, because a quote before a combining character still ends an attribute. Control
    /// characters and directional marks become U+FFFD.
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

    /// Escapes untrusted text for an element that preserves line breaks.
    init(lines text: String) {
        html = text.replacing("\r\n", with: "\n").split(separator: "\n", omittingEmptySubsequences: false)
            .map { Markup(escaping: String($0)).html }.joined(separator: "\n")
    }

    /// Escapes text for a quoted attribute value that the browser posts unchanged and the page does not display.
    init(exactly text: String) {
        html = text.unicodeScalars.map { scalar in
            Self.hides(scalar) ? "&#\(scalar.value);" : Markup(escaping: String(scalar)).html
        }.joined()
    }

    /// Creates markup from a catalog sentence, in which each value is emphasized and has its own text direction.
    init(_ texts: PageTexts, _ key: String, _ values: [String: String] = [:]) {
        html = PageTexts.pieces(of: texts.sentence(key) ?? key).map { piece in
            switch piece {
            case .words(let words): Markup(escaping: words).html
            case .value(let name): "<b><bdi>\(Markup(escaping: values[name] ?? "").html)</bdi></b>"
            }
        }.joined()
    }

    /// Creates the attributes of a start tag, with a space before each attribute.
    ///
    /// If the value is `nil`, the markup contains only the attribute's name.
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
