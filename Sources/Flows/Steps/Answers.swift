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
    private let texts: Texts
    private(set) var problems: [NodeProblem] = []

    init(_ answers: [String: JSONValue], _ texts: Texts) throws(Refused) {
        guard answers.count <= FlowLimits.answerFields else {
            throw .malformed([
                NodeProblem(
                    name: "answers",
                    code: .tooLong,
                    text: texts[.tooManyAnswers, ["most": "\(FlowLimits.answerFields)"]]
                )
            ])
        }
        let bytes = answers.reduce(0) { $0 + $1.key.utf8.count + Self.size($1.value, depth: 0) }
        guard bytes <= FlowLimits.answerBytes else {
            throw .malformed([
                NodeProblem(
                    name: "answers",
                    code: .tooLong,
                    text: texts[.tooManyBytes, ["most": "\(FlowLimits.answerBytes)"]]
                )
            ])
        }
        rest = answers
        self.texts = texts
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
            return refused(name, .missing, texts[.missing])
        }
        guard let text = value.string else { return refused(name, .wrongType, texts[.notText]) }
        guard !text.isEmpty else { return refused(name, .missing, texts[.missing]) }
        guard text.unicodeScalars.count <= most else {
            return refused(name, .tooLong, texts[.tooLong, ["most": "\(most)"]])
        }
        return text
    }

    /// Records a problem.
    mutating func note(_ name: String, _ code: NodeProblem.Code, _ text: String) {
        note(NodeProblem(name: name, code: code, text: text))
    }

    /// Records a problem.
    mutating func note(_ problem: NodeProblem) { problems.append(problem) }

    private mutating func refused(_ name: String, _ code: NodeProblem.Code, _ text: String) -> String? {
        note(name, code, text)
        return nil
    }

    /// Ends reading; an answer that no node asked for is a problem.
    mutating func finish() throws(Refused) {
        for name in rest.keys.sorted() {
            let shown = String(name.prefix(FlowLimits.idLength))
            problems.append(NodeProblem(name: shown, code: .unknown, text: texts[.notAsked]))
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
