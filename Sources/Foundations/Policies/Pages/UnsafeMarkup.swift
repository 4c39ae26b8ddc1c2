/// Detects active content, form controls and external references in an operator's markup and style sheets.
enum UnsafeMarkup {
    /// Returns a forbidden part of the text, such as one of `tags` or `words`, or `nil` if there is none.
    static func found(in text: String, tags: Set<String> = [], words: [String] = []) -> String? {
        let lower = text.lowercased()
        let names = lower.matches(of: #/<([a-z][a-z0-9]*)/#).lazy.map { String($0.1) }
        if let tag = names.first(where: { Self.tags.contains($0) || tags.contains($0) }) { return "<\(tag)" }
        if let word = (Self.words + words).first(where: lower.contains) { return word }
        if let handler = lower.firstMatch(of: #/[\s"'\/](on[a-z]+)\s*=/#) { return String(handler.1) }
        // Ignore the URLs of XML namespaces, because browsers do not load them.
        let rest = lower.replacing(#/xmlns(:[a-z]+)?\s*=\s*["'][^"']*["']/#, with: "")
        return rest.firstMatch(of: #/(https?:)?\/\/[a-z0-9\[]/#).map { String($0.0) }
    }

    private static let tags: Set<String> = [
        "script", "form", "iframe", "frame", "frameset", "object", "embed", "base", "meta", "foreignobject", "input",
        "button", "select", "textarea", "template", "portal",
    ]
    private static let words = ["<!entity", "<!doctype", "javascript:", "data:text", "@import", "expression("]
}
