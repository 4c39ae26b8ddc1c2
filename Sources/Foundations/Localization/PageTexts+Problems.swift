public import FlowModel

extension PageTexts {
    /// Describes the problem with a value that the user entered.
    ///
    /// - Parameters:
    ///   - code: The kind of problem.
    ///   - node: The node with the problem.
    ///   - label: The node's label.
    ///   - most: The maximum number of characters to report if the node does not define one.
    /// - Returns: The sentence, or `nil` if no sentence can be filled in with the known values.
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
    /// The sentence for the problem with a value, or `nil` if no sentence can be filled in with the known values.
    public static func problem(_ code: NodeProblem.Code, of node: Node) -> Text? {
        PageTexts(.english).problem(code, node, node.label, nil).map { problem in
            Text(key: problem.key, parameters: problem.values.mapValues(Value.words))
        }
    }
}
