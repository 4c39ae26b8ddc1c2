import BrokerAPI
public import BrokerClient
import FlowModel
import Foundation
import Moments
import OAuth

/// Asks a person what the steps of a flow ask, or takes the answers that came with the command.
///
/// An actor because it owns what is shared by the steps: the answers that have not been used yet.
public actor Questions: ChallengeHandler {
    private let terminal: TerminalDevice?
    private let readsInput: Bool
    private var given: [String: String]
    private var inputUsedForSecret = false
    private var lastTitle = ""

    /// Questions of one command.
    ///
    /// - Parameters:
    ///   - given: Answers by the names of their nodes; each is used once.
    ///   - readsInput: Whether a password, and then codes, are lines of stdin; nobody is asked for them then.
    ///   - terminal: Where to ask; nil if there is nobody.
    public init(given: [String: String] = [:], readsInput: Bool = false, terminal: TerminalDevice? = TerminalDevice()) {
        self.given = given
        canAnswer = terminal != nil || readsInput || !given.isEmpty
        self.readsInput = readsInput
        self.terminal = terminal
    }

    /// Whether anybody is there to answer.
    public nonisolated let canAnswer: Bool

    /// Answers a step.
    ///
    /// - Parameter challenge: What is asked, and what was wrong with the answers before.
    /// - Returns: Answers to its nodes, or another action.
    /// - Throws: A `CommandFailure` if nobody can be asked, or whoever is asked gives up.
    public func answer(_ challenge: Challenge) async throws -> Answer {
        let step = challenge.step
        announce(challenge)
        try giveUpIfRejected(challenge)
        let now = MomentClock.system.now
        let deadline = challenge.flow.stepExpiresAt.map {
            Deadline(.milliseconds(max(0, $0 - now.wall)), after: now)
        }
        var answers: [String: JSONValue] = [:]
        for node in step.nodes {
            switch node.kind {
            case .info, .link, .image:
                terminal?.show(PlainText.line("\(node.label): \(node.value ?? "")") + "\n")
            default:
                switch try await entry(node, step, deadline) {
                case .text(let value)?: answers[node.name] = value
                case .action(let name)?: return .action(name)
                case nil: break
                }
            }
        }
        return .fields(answers)
    }

    private enum Entry {
        case text(JSONValue)
        case action(String)
    }

    private func announce(_ challenge: Challenge) {
        guard let terminal else { return }
        let step = challenge.step
        if !step.title.isEmpty, step.title != lastTitle { terminal.show("\(PlainText.line(step.title))\n") }
        lastTitle = step.title
        for message in step.messages { terminal.show("\(PlainText.line(message.text))\n") }
        if let refusal = challenge.refusal {
            let lines = refusal.nodes.map { "\(label($0, step)): \(PlainText.line($0.text))" }
            terminal.show((lines.isEmpty ? [PlainText.line(refusal.message)] : lines).joined(separator: "\n") + "\n")
        }
        if let left = step.attempts, left.remaining < left.max {
            terminal.show(left.isLast ? "This is the last attempt.\n" : "\(left.remaining) attempts are left.\n")
        }
        let others = step.actions.map(\.name).filter { $0 != "cancel" }
        if !others.isEmpty, step.nodes.contains(where: { $0.kind != .secret }) {
            terminal.show("Or type \(others.map { ":" + PlainText.line($0) }.joined(separator: ", ")).\n")
        }
    }

    private func label(_ problem: NodeProblem, _ step: StepDocument) -> String {
        PlainText.line(step.nodes.first { $0.name == problem.name }?.label ?? problem.name)
    }

    /// A command that brought its answers is not turned into a conversation by a wrong one.
    private func giveUpIfRejected(_ challenge: Challenge) throws {
        guard inputUsedForSecret || terminal == nil else { return }
        if let refusal = challenge.refusal { throw refusal }
        if let message = challenge.step.messages.first(where: { $0.level == .error }) {
            throw CommandFailure(.denied, message.code, message.text)
        }
    }

    private func entry(_ node: Node, _ step: StepDocument, _ deadline: Deadline?) async throws -> Entry? {
        if let text = given.removeValue(forKey: node.name) { return try parsed(text, node).map(Entry.text) }
        if readsInput, node.kind == .secret || node.kind == .code {
            guard let line = try StandardInput.line() else {
                throw CommandFailure(.denied, "interaction_required", "standard input has no line for \(node.label)")
            }
            inputUsedForSecret = true
            return .text(.string(line.reveal()))
        }
        if terminal == nil || inputUsedForSecret {
            if let value = node.value { return try parsed(value, node).map(Entry.text) }
            guard node.required else { return nil }
            throw CommandFailure.noTerminal(node.label)
        }
        return try await asked(node, step, deadline)
    }

    private func asked(_ node: Node, _ step: StepDocument, _ deadline: Deadline?) async throws -> Entry? {
        while let terminal {
            let secret = try await terminal.ask(question(node), echo: node.kind != .secret, until: deadline)
            if node.kind == .secret {
                if secret.count == 0 { continue }
                if step.type == StepType.attributes.rawValue {
                    let again = try await terminal.ask(
                        "\(PlainText.line(node.label)) again: ",
                        echo: false,
                        until: deadline
                    )
                    if again != secret {
                        terminal.show("These are not the same.\n")
                        continue
                    }
                }
                return .text(.string(secret.reveal()))
            }
            let text = secret.reveal().trimmingCharacters(in: .whitespaces)
            if text.first == ":", step.actions.contains(where: { $0.name == text.dropFirst() }) {
                return .action(String(text.dropFirst()))
            }
            do {
                if text.isEmpty, node.value == nil, !node.required { return nil }
                if let value = try parsed(text.isEmpty ? node.value ?? "" : text, node) { return .text(value) }
                terminal.show("This must be answered.\n")
            } catch let problem as CommandFailure {
                terminal.show("\(PlainText.line(problem.message))\n")
            }
        }
        return nil
    }

    private func question(_ node: Node) -> String {
        var text = PlainText.line(node.label)
        if let options = node.options { text += " (\(options.map(PlainText.line).joined(separator: ", ")))" }
        if node.kind == .bool { text += " (yes, no)" }
        if let value = node.value {
            text += " [\(PlainText.line(value))]"
        } else if !node.required {
            text += " (optional)"
        }
        return text + ": "
    }

    /// An answer as JSON has it; nil for one that is empty.
    private func parsed(_ text: String, _ node: Node) throws -> JSONValue? {
        guard !text.isEmpty else { return nil }
        switch node.kind {
        case .number:
            guard let number = Int64(text) else { throw wrong(node, "is a whole number") }
            return .int(number)
        case .bool:
            if ["yes", "y", "true"].contains(text.lowercased()) { return true }
            if ["no", "n", "false"].contains(text.lowercased()) { return false }
            throw wrong(node, "is yes or no")
        case .select:
            if let options = node.options, !options.contains(text) {
                throw wrong(node, "is one of \(options.joined(separator: ", "))")
            }
            return .string(text)
        case .multiselect:
            return .array(text.split(separator: ",").map { .string($0.trimmingCharacters(in: .whitespaces)) })
        default: return .string(text)
        }
    }

    private func wrong(_ node: Node, _ expectation: String) -> CommandFailure {
        CommandFailure(.failed, "invalid_answer", "\(node.label) \(expectation)")
    }
}
