import FlowModel
import Foundation
import OAuth
import Policies

/// The answers to a step, which a step kind reads node by node.
///
/// An answer that was not read counts as a problem.
struct Answers {
    /// A reason for not evaluating answers.
    enum Refused: Error, Hashable {
        /// The answers do not have the required form, and count as one malformed answer.
        case malformed([NodeProblem])
        /// The answers cannot be accepted now, and are not counted.
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

    /// Removes and returns the answer to a node, or returns `nil` if it is missing or `null`.
    mutating func take(_ name: String) -> JSONValue? {
        let value = rest.removeValue(forKey: name)
        return value == .null ? nil : value
    }

    /// Removes and returns all remaining answers without checking them.
    mutating func takeAll() -> [String: JSONValue] {
        defer { rest = [:] }
        return rest
    }

    /// Removes and returns a string of at most `most` characters, or returns `fallback` if there is no answer.
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

    /// Removes and returns the sign-in name, which can be `fallback` if there is no answer.
    ///
    /// If users sign in with e-mail addresses, any other text is a problem, so that it uses up no attempt and no mail.
    mutating func signInName(_ rule: Policies.SignInName, fallback: String?) -> String? {
        guard let name = text("username", most: FlowLimits.nameLength, fallback: fallback) else { return nil }
        let isPossible =
            switch rule {
            case .email: AttributeRule.isAddress(name.trimmingCharacters(in: .whitespacesAndNewlines))
            case .username, .both: true
            }
        if isPossible || name == fallback { return name }
        let node = node("username")
        note(texts.problem(.malformed, of: Node(name: node.name, kind: .email, label: node.label, required: true)))
        return nil
    }

    mutating func note(_ name: String, _ code: NodeProblem.Code, most: Int? = nil) {
        note(texts.problem(code, of: node(name), most: most))
    }

    mutating func note(_ name: String, _ refusal: PasswordRule.Refusal, of rule: PasswordRule) {
        note(texts.problem(node(name), refusal, of: rule))
    }

    mutating func note(_ problem: NodeProblem) { problems.append(problem) }

    private func node(_ name: String) -> Node {
        nodes.first { $0.name == name } ?? Node(name: name, kind: .text, label: name, required: false)
    }

    private mutating func refused(_ name: String, _ code: NodeProblem.Code, most: Int? = nil) -> String? {
        note(name, code, most: most)
        return nil
    }

    /// Throws the recorded problems, if any, including one for each answer that has not been read.
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
