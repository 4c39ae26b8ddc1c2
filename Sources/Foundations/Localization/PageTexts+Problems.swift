public import FlowModel

extension PageTexts {
    /// Returns the message for invalid input, or `nil` if every suitable message has a placeholder without a value.
    ///
    /// If the node defines no maximum length, the message states the maximum length `most`.
    public func problem(_ code: NodeProblem.Code, of node: Node, label: String, most: Int? = nil) -> String? {
        problem(code, node, label, most).map { text($0.key, $0.values) }
    }

    fileprivate func problem(
        _ code: NodeProblem.Code,
        _ node: Node,
        _ label: String,
        _ most: Int?
    ) -> (key: String, values: [String: String])? {
        let values = [
            "label": label, "min": node.minLength.map { "\($0)" }, "max": (node.maxLength ?? most).map { "\($0)" },
            "options": node.options?.map(node.words).joined(separator: ", "),
        ].compactMapValues { $0 }
        let general = "problem.\(code.rawValue)"
        let key = ["\(general).\(node.kind.rawValue)", general].first { key in
            sentence(key).map { Self.placeholders(of: $0).isSubset(of: Set(values.keys)) } ?? false
        }
        return key.map { ($0, values) }
    }
}

extension Text {
    /// Returns the message for invalid input, or `nil` if every suitable message has a placeholder without a value.
    public static func problem(_ code: NodeProblem.Code, of node: Node) -> Text? {
        PageTexts(.english).problem(code, node, node.label, nil).map { problem in
            Text(key: problem.key, parameters: problem.values.mapValues(Value.words))
        }
    }
}
