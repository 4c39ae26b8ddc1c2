public import FlowModel

extension PageTexts {
    /// Returns the message for a problem with the user's input, or `nil` if no suitable message exists.
    ///
    /// A message is suitable if all its placeholders have values. `most` is the maximum length that the message states
    /// if the node does not define a maximum length.
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
    /// Returns the message for a problem with the user's input, or `nil` if no suitable message exists.
    ///
    /// A message is suitable if all its placeholders have values.
    public static func problem(_ code: NodeProblem.Code, of node: Node) -> Text? {
        PageTexts(.english).problem(code, node, node.label, nil).map { problem in
            Text(key: problem.key, parameters: problem.values.mapValues(Value.words))
        }
    }
}
