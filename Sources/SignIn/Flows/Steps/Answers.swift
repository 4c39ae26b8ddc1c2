import FlowModel
import OAuth
import Policies

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
    private let texts: Texts
    private let nodes: [Node]
    private(set) var problems: [NodeProblem] = []

    init(_ answers: [String: JSONValue], to nodes: [Node], _ texts: Texts) throws(Refused) {
        guard answers.count <= FlowLimits.answerFields else {
            throw .malformed([
                NodeProblem(
                    name: "answers",
                    code: .tooLong,
                    text: texts[.tooManyAnswers, ["max": "\(FlowLimits.answerFields)"]]
                )
            ])
        }
        let bytes = answers.reduce(0) { $0 + $1.key.utf8.count + Self.size($1.value, depth: 0) }
        guard bytes <= FlowLimits.answerBytes else {
            throw .malformed([
                NodeProblem(
                    name: "answers",
                    code: .tooLong,
                    text: texts[.tooManyBytes, ["max": "\(FlowLimits.answerBytes)"]]
                )
            ])
        }
        rest = answers
        self.nodes = nodes
        self.texts = texts
    }

    /// Takes the answer to a node; `null` counts as none.
    mutating func take(_ name: String) -> JSONValue? {
        let value = rest.removeValue(forKey: name)
        return value == .null ? nil : value
    }

    /// Takes all answers that are left, as they are.
    mutating func takeAll() -> [String: JSONValue] {
        defer { rest = [:] }
        return rest
    }

    /// Takes an answer that must be text of limited length, or the value that the node is filled in with.
    mutating func text(_ name: String, most: Int, fallback: String? = nil) -> String? {
        guard let value = take(name) else {
            if let fallback, !fallback.isEmpty { return fallback }
            return refused(name, .missing)
        }
        guard let text = value.string else { return refused(name, .wrongType) }
        guard !text.isEmpty else { return refused(name, .missing) }
        guard text.unicodeScalars.count <= most else {
            return refused(name, .tooLong, most: most)
        }
        return text
    }

    /// Records a problem of the answer to a node.
    mutating func note(_ name: String, _ code: NodeProblem.Code, most: Int? = nil) {
        note(texts.problem(code, of: node(name), most: most))
    }

    /// Records the problem of a new password.
    mutating func note(_ name: String, _ refusal: PasswordRule.Refusal, of rule: PasswordRule) {
        note(texts.problem(node(name), refusal, of: rule))
    }

    /// Records a problem.
    mutating func note(_ problem: NodeProblem) { problems.append(problem) }

    /// The node of a name; one of that name alone if nobody asked for it.
    private func node(_ name: String) -> Node {
        nodes.first { $0.name == name } ?? Node(name: name, kind: .text, label: name, required: false)
    }

    private mutating func refused(_ name: String, _ code: NodeProblem.Code, most: Int? = nil) -> String? {
        note(name, code, most: most)
        return nil
    }

    /// Ends reading; an answer that no node asked for is a problem.
    mutating func finish() throws(Refused) {
        for name in rest.keys.sorted() {
            note(String(name.prefix(FlowLimits.idLength)), .unknown)
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
