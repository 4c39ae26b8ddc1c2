import FlowModel
import OAuth

/// The answers to a step, read node by node; an answer that was not read is a problem.
struct Answers {
    /// The reasons for not evaluating answers.
    enum Refused: Error, Hashable {
        /// They have not the required form; it counts as a malformed answer.
        case malformed([NodeProblem])
        /// They cannot be taken now; it counts as no answer.
        case refused(Refusal)
    }

    private var rest: [String: JSONValue]
    private(set) var problems: [NodeProblem] = []

    init(_ answers: [String: JSONValue]) throws(Refused) {
        guard answers.count <= FlowLimits.answerFields else {
            throw .malformed([
                NodeProblem(
                    name: "answers",
                    code: .tooLong,
                    text: "There may be at most \(FlowLimits.answerFields) answers."
                )
            ])
        }
        let bytes = answers.reduce(0) { $0 + $1.key.utf8.count + Self.size($1.value, depth: 0) }
        guard bytes <= FlowLimits.answerBytes else {
            throw .malformed([
                NodeProblem(
                    name: "answers",
                    code: .tooLong,
                    text: "The answers may have at most \(FlowLimits.answerBytes) bytes."
                )
            ])
        }
        rest = answers
    }

    /// Takes the answer to a node; `null` counts as none.
    mutating func take(_ name: String) -> JSONValue? {
        let value = rest.removeValue(forKey: name)
        return value == .null ? nil : value
    }

    /// Takes an answer that must be text of limited length, or the value that the node is filled in with.
    mutating func text(_ name: String, most: Int, fallback: String? = nil) -> String? {
        guard let value = take(name) else {
            if let fallback, !fallback.isEmpty { return fallback }
            return refused(name, .missing, "An answer is needed.")
        }
        guard let text = value.string else { return refused(name, .wrongType, "This must be text.") }
        guard !text.isEmpty else { return refused(name, .missing, "An answer is needed.") }
        guard text.unicodeScalars.count <= most else {
            return refused(name, .tooLong, "At most \(most) characters are possible.")
        }
        return text
    }

    /// Records a problem.
    mutating func note(_ name: String, _ code: NodeProblem.Code, _ text: String) {
        problems.append(NodeProblem(name: name, code: code, text: text))
    }

    private mutating func refused(_ name: String, _ code: NodeProblem.Code, _ text: String) -> String? {
        note(name, code, text)
        return nil
    }

    /// Ends reading; an answer that no node asked for is a problem.
    mutating func finish() throws(Refused) {
        for name in rest.keys.sorted() {
            let shown = String(name.prefix(FlowLimits.idLength))
            problems.append(NodeProblem(name: shown, code: .unknown, text: "Nobody asked for this."))
        }
        rest = [:]
        guard problems.isEmpty else { throw .malformed(problems) }
    }

    private static func size(_ value: JSONValue, depth: Int) -> Int {
        guard depth < 32 else { return FlowLimits.answerBytes }
        return switch value {
        case .null, .bool, .int, .double: 8
        case .string(let text): text.utf8.count
        case .array(let values): values.reduce(2) { $0 + size($1, depth: depth + 1) }
        case .object(let members): members.reduce(2) { $0 + $1.key.utf8.count + size($1.value, depth: depth + 1) }
        }
    }
}
