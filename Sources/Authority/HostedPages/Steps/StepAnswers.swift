public import FlowModel
public import OAuth

extension StepPage {
    /// Returns the answers in the posted form `fields`, by node name, without validating them.
    ///
    /// Empty and unknown fields are ignored, and a missing checkbox counts as `false`, because browsers omit it.
    public static func answers(_ fields: [(name: String, value: String)], to step: Step) -> [String: JSONValue] {
        let given = Dictionary(grouping: fields, by: \.name).mapValues { $0.map(\.value) }
        var answers: [String: JSONValue] = [:]
        for node in step.nodes {
            answers[node.name] = answer(to: node, given)
        }
        return answers
    }

    /// Whether the posted form `fields` contains only the values that the page filled in.
    public static func isUntouched(_ fields: [(name: String, value: String)], of step: Step) -> Bool {
        let buttons = [PageForm.Field.action, PageForm.Field.provider, PageForm.Field.choice]
        guard step.type != .consent, !fields.contains(where: { buttons.contains($0.name) }) else { return false }
        return answers(fields, to: step).allSatisfy { name, answer in
            let filledIn = step.nodes.first { $0.name == name }?.value.map { JSONValue.string($0) }
            return answer == filledIn || answer == .bool(false) || answer == .array([])
        }
    }

    /// Returns the posted values by field name, with one line for each value of a field that was posted several times.
    public static func kept(_ fields: [(name: String, value: String)]) -> [String: String] {
        Dictionary(fields.map { ($0.name, $0.value) }) { "\($0)\n\($1)" }
    }

    private static func answer(to node: Node, _ given: [String: [String]]) -> JSONValue? {
        let text = given[node.name]?.last ?? ""
        switch node.kind {
        case .text, .code, .email, .select, .date, .json: return text.isEmpty ? nil : .string(text)
        case .number: return text.isEmpty ? nil : Int64(text).map { .int($0) } ?? .string(text)
        case .bool: return node.input == .radio && text.isEmpty ? nil : .bool(text == "true")
        // A hidden field adds an empty value, so if there is no value at all, the page did not show the boxes.
        case .multiselect: return given[node.name].map { .array($0.filter { !$0.isEmpty }.map { .string($0) }) }
        case .secret:
            let isShown = given[PageForm.Field.show + node.name]?.last == "true"
            let typed = isShown ? given[PageForm.Field.shown + node.name]?.last ?? "" : text
            return typed.isEmpty ? nil : .string(typed)
        case .info, .link, .image: return nil
        }
    }
}
