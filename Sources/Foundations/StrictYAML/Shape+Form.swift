extension Shape {
    func hasForm(of node: YAMLNode) -> Bool {
        switch (self, node.content) {
        case (.text, .scalar), (.integer, .scalar), (.boolean, .scalar), (.choice, .scalar), (.number, .scalar),
            (.scalar, .scalar):
            true
        case (.anything, _), (.list, .list), (.object, .mapping), (.dictionary, .mapping): true
        case (.either(let shapes), _): shapes.contains { $0.hasForm(of: node) }
        case (.later(let shape, _), _): shape.hasForm(of: node)
        default: false
        }
    }

    /// Returns how much an invalid node differs from this shape, or `nil` if the node does not resemble this shape.
    ///
    /// The result is negative if only a later version supports the value. If the node matches none of several shapes,
    /// the shape with the lowest result determines the error message.
    func strangeness(of node: YAMLNode) -> Int? {
        switch self {
        case .choice(_, let later): node.scalar.map(later.contains) ?? false ? -1 : nil
        case .object(let keys) where hasForm(of: node):
            node.names.count { name in !keys.contains { $0.name == name } }
        case .later(let shape, _): shape.hasForm(of: node) ? -1 : nil
        default: hasForm(of: node) ? 0 : nil
        }
    }
}

extension TextRule {
    func refusal(of text: String) -> String? {
        if text.isEmpty { return "is empty; it must be \(form)" }
        if text.unicodeScalars.count > maxLength { return "has more than \(maxLength) characters" }
        if text.unicodeScalars.contains(where: {
            $0.properties.generalCategory == .control && !(hasLines && $0 == "\n")
        }) {
            return "has control characters"
        }
        return refusal(text)
    }
}

extension YAMLNode {
    /// A short description of the value for use in a message.
    var looks: String {
        switch content {
        case .list: "a list"
        case .mapping: "a mapping"
        case .scalar where isNull: "empty"
        case .scalar(let text, let isPlain): isPlain ? text.shortened : "the text \"\(text.shortened)\""
        }
    }
}

extension YAMLValue {
    /// Returns a copy of this default value that has the file and the line of `node`.
    func moved(to node: YAMLNode) -> YAMLValue {
        let content: Content =
            switch self.content {
            case .list(let items): .list(items.map { $0.moved(to: node) })
            case .mapping(let members, let order): .mapping(members.mapValues { $0.moved(to: node) }, order: order)
            default: self.content
            }
        return YAMLValue(content: content, file: node.file, line: node.line, isGiven: false)
    }
}
