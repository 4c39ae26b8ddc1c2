public import FlowModel
public import OAuth

extension StepPage {
    /// Reads what the page's form posted, as the answers of a submission.
    ///
    /// A field that was left empty is no answer, unless its step asks for yes or no: a box without a tick is not posted,
    /// and means no. Fields that the step did not ask for are left out. Nothing is checked; the flow does that.
    ///
    /// - Parameters:
    ///   - fields: The names and values of the form, in order.
    ///   - step: The step whose page was shown.
    /// - Returns: The answers by node; they may hold secrets.
    public static func answers(_ fields: [(name: String, value: String)], to step: Step) -> [String: JSONValue] {
        let given = Dictionary(grouping: fields, by: \.name).mapValues { $0.map(\.value) }
        var answers: [String: JSONValue] = [:]
        for node in step.nodes {
            answers[node.name] = answer(to: node, given)
        }
        return answers
    }

    /// The typed answers of a form, to be shown again; those of several boxes are a line each.
    public static func kept(_ fields: [(name: String, value: String)]) -> [String: String] {
        Dictionary(fields.map { ($0.name, $0.value) }) { "\($0)\n\($1)" }
    }

    private static func answer(to node: Node, _ given: [String: [String]]) -> JSONValue? {
        let text = given[node.name]?.last ?? ""
        switch node.kind {
        case .text, .code, .email, .select, .date, .json: return text.isEmpty ? nil : .string(text)
        case .number: return text.isEmpty ? nil : Int64(text).map { .int($0) } ?? .string(text)
        case .bool: return node.input == .radio && text.isEmpty ? nil : .bool(text == "true")
        // An empty one beside the boxes says that they were shown.
        case .multiselect: return given[node.name].map { .array($0.filter { !$0.isEmpty }.map { .string($0) }) }
        case .secret:
            let isShown = given[PageForm.Field.show + node.name]?.last == "true"
            let typed = isShown ? given[PageForm.Field.shown + node.name]?.last ?? "" : text
            return typed.isEmpty ? nil : .string(typed)
        case .info, .link, .image: return nil
        }
    }
}
