import BrokerAPI
public import BrokerClient
import FlowModel
import Foundation
import Glibc
import Moments
import OAuth
import QRCode

/// Prompts the user for the input that a flow's steps need, or uses answers from the command line.
public actor Questions: ChallengeHandler {
    private let terminal: TerminalDevice?
    private let readsInput: Bool
    private let readsPIN: Bool
    private var given: [String: String]
    private var inputUsedForSecret = false
    private var lastTitle = ""
    private var shownRevision: Int?
    /// The answers to the previous step if it was an attributes step, or `nil` otherwise.
    private var kept: [String: JSONValue]?

    /// Creates the prompt handler for one command, which uses each answer in `given` only once.
    ///
    /// If `readsInput` is `true`, all secrets are read from standard input instead of prompting for them. If `readsPIN`
    /// is `true`, only PINs are.
    public init(
        given: [String: String] = [:],
        readsInput: Bool = false,
        readsPIN: Bool = false,
        terminal: TerminalDevice? = TerminalDevice()
    ) {
        self.given = given
        canAnswer = terminal != nil || readsInput || readsPIN || !given.isEmpty
        self.readsInput = readsInput
        self.readsPIN = readsPIN
        self.terminal = terminal
    }

    /// Whether answers can come from a terminal, from standard input or from the command line.
    public nonisolated let canAnswer: Bool

    /// The names of the given answers that no step has used.
    public var unused: [String] { given.keys.sorted() }

    /// Returns the user's input for a step's nodes, or the action that the user chose instead.
    ///
    /// - Throws: A `CommandFailure` if no prompt is possible or the user cancels, or the previous answer's refusal.
    public func answer(_ challenge: Challenge) async throws -> Answer {
        let step = challenge.step
        announce(challenge)
        try giveUpIfRejected(challenge)
        try refuseUnknownAnswers(step)
        try refuseMissingAnswers(step)
        let now = MomentClock.system.now
        let deadline = challenge.flow.stepExpiresAt.map {
            Deadline(.milliseconds(max(0, $0 - now.wall)), after: now)
        }
        if let provider = try await onlyProvider(step, deadline) {
            return .action(Action.Name.choose.rawValue, value: provider)
        }
        var answers = goodAnswers(challenge)
        for node in step.nodes where answers[node.name] == nil {
            if node.isShown {
                let lines = Self.picture(node) + [PlainText.line("\(node.label): \(node.value ?? "")")]
                let text = lines.joined(separator: "\n")
                if let terminal { terminal.show("\(text)\n") } else if isElsewhere(step) { Program.complain(text) }
                continue
            }
            switch try await entry(node, step, deadline) {
            case .text(let value): answers[node.name] = value
            case .action(let name, let value): return .action(name, value: value)
            case .nothing: answers[node.name] = .null
            }
        }
        kept = step.type == .attributes ? answers : nil
        return .fields(answers.filter { $0.value != .null })
    }

    /// Whether another program supplies the browser's final address, because this process has no terminal.
    private func isElsewhere(_ step: Step) -> Bool { terminal == nil && step.type == StepType(rawValue: "browser") }

    private func readsLine(_ node: Node, _ step: Step) -> Bool {
        node.isSecret && (readsSecrets(of: step) || isElsewhere(step))
    }

    private func readsSecrets(of step: Step) -> Bool { readsInput || readsPIN && Self.takesPIN(step) }

    private static func takesPIN(_ step: Step) -> Bool { [.pin, .pinSetup].contains(step.type) }

    /// Returns the lines of a node's QR code, or none if the node is not an image or the terminal is too narrow.
    private static func picture(_ node: Node) -> [String] {
        guard node.kind == .image, let value = node.value, let code = QRCode(value),
            let columns = [STDIN_FILENO, STDERR_FILENO, STDOUT_FILENO].lazy.compactMap(Output.width(of:)).first,
            code.size + 2 * QRCode.quietZone <= columns
        else { return [] }
        return code.terminalLines
    }

    private static func choices(_ step: Step) -> [StepChoice] {
        StepChoice.all(in: step.data) + StepChoice.all(in: step.data, StepChoice.providers)
    }

    /// Returns the only or the chosen identity provider, or `nil` if the step offers no providers or has nodes.
    private func onlyProvider(_ step: Step, _ deadline: Deadline?) async throws -> String? {
        let providers = StepChoice.all(in: step.data, StepChoice.providers).map(\.value)
        guard step.nodes.isEmpty, let only = providers.first else { return nil }
        guard let terminal else { throw CommandFailure.noTerminal(Text(exactly: step.title), options: ["--browser"]) }
        guard providers.count > 1 else { return only }
        let names = providers.map(PlainText.line)
        while true {
            let typed = try await terminal.ask(
                Text("cli.terminal.chooseOne", ["names": names.joined(separator: ", ")]).text,
                echo: true,
                until: deadline
            )
            var name = typed.reveal().trimmingCharacters(in: .whitespaces)
            if name.hasPrefix(":choose ") { name.removeFirst(8) }
            let usual = ProviderName.usual(name)
            if let chosen = providers.first(where: { ProviderName.usual($0) == usual }) { return chosen }
        }
    }

    /// The types of steps in which the user sets a new secret and must type it twice.
    private static let choosing: Set<StepType> = [.attributes, .pinSetup, .newPassword]

    private enum Entry {
        case text(JSONValue)
        case action(String, value: String? = nil)
        case nothing
    }

    private func announce(_ challenge: Challenge) {
        guard let terminal else { return }
        let step = challenge.step
        if !step.title.isEmpty, step.title != lastTitle { terminal.say(PlainText.line(step.title)) }
        lastTitle = step.title
        // If an answer was rejected and the step has not changed, the step's messages have already been shown.
        let isShown = challenge.refusal != nil && challenge.flow.rev == shownRevision
        shownRevision = challenge.flow.rev
        for message in step.messages where !isShown { terminal.say(PlainText.line(message.text)) }
        if let refusal = challenge.refusal {
            let lines = refusal.nodes.map { PlainText.line($0.text) }
            for line in lines.isEmpty ? [PlainText.line(refusal.text.text)] : lines { terminal.say(line) }
        }
        if let left = step.attempts, left.remaining < left.max {
            let sentence =
                left.isLast
                ? Text("cli.terminal.lastAttempt")
                : Text("cli.terminal.attemptsLeft", ["count": left.remaining])
            terminal.say(sentence.text)
        }
        let choices = step.nodes.isEmpty ? [] : Self.choices(step)
        for choice in choices {
            let (value, label) = (PlainText.line(choice.value), PlainText.line(choice.label))
            terminal.say(Text("cli.terminal.choice", ["value": value, "label": label]).text)
        }
        guard step.nodes.contains(where: { $0.kind != .secret }) else { return }
        for action in step.actions where action.name != .choose || choices.isEmpty {
            // The `cancel` action needs no hint, because users cancel with Ctrl-C.
            if action.name != .cancel { terminal.say(Text.action(PlainText.line(action.name.rawValue)).text) }
        }
    }

    /// Throws an error if an answer was rejected and no prompt for another answer is possible.
    private func giveUpIfRejected(_ challenge: Challenge) throws {
        guard inputUsedForSecret || terminal == nil else { return }
        if let refusal = challenge.refusal { throw refusal }
        if let message = challenge.step.messages.first(where: { $0.level == .error }) {
            throw CommandFailure(.denied, message.code, Text(exactly: message.text))
        }
    }

    /// Throws an error if a given answer matches none of the step's nodes, unless a later step may use the answer.
    private func refuseUnknownAnswers(_ step: Step) throws {
        let nodes = step.nodes.filter { !$0.isShown }
        let isOpen = nodes.contains { given[$0.name] == nil && !(readsSecrets(of: step) && $0.isSecret) }
        guard isOpen, let name = unused.first(where: { name in !nodes.contains { $0.name == name } }) else { return }
        let names = nodes.map { node in
            node.isSecret
                ? Text("cli.terminal.secretName", ["name": node.name, "option": Self.option(step)])
                : Text(exactly: node.name)
        }
        throw CommandFailure.usage(
            Text("cli.terminal.unknownAnswer", ["name": name]),
            hint: Text("cli.terminal.asksFor", ["names": Text.list(names)])
        )
    }

    /// If no prompt is possible, throws an error that lists all missing answers.
    private func refuseMissingAnswers(_ step: Step) throws {
        guard terminal == nil || inputUsedForSecret else { return }
        let missing = step.nodes.filter { node in
            node.required && !node.isShown && node.value == nil && given[node.name] == nil && !readsLine(node, step)
        }
        guard !missing.isEmpty else { return }
        throw CommandFailure.noTerminal(
            Text(exactly: missing.map { "\($0.label) (\($0.name))" }.joined(separator: ", ")),
            options: missing.map { $0.isSecret ? Self.option(step) : "--answer \($0.name)=VALUE" }
        )
    }

    /// Returns the option with which standard input answers a step's secrets.
    private static func option(_ step: Step) -> String { takesPIN(step) ? "--pin-stdin" : "--password-stdin" }

    /// Returns the previous answers to a repeated attributes step, without the rejected answers.
    private func goodAnswers(_ challenge: Challenge) -> [String: JSONValue] {
        let messages = challenge.step.messages.filter { $0.level == .error }.compactMap(\.node)
        let wrong = Set(messages + (challenge.refusal?.nodes.map(\.name) ?? []))
        guard let kept, !wrong.isEmpty, challenge.step.type == .attributes else { return [:] }
        return kept.filter { !wrong.contains($0.key) }
    }

    private func entry(_ node: Node, _ step: Step, _ deadline: Deadline?) async throws -> Entry {
        let question = NodeQuestion(node: node)
        if let text = given.removeValue(forKey: node.name) {
            if let problem = question.problem(with: text) {
                let text = Text("failure.ofOption", ["option": node.name, "text": problem])
                throw CommandFailure(.failed, "invalid_answer", text)
            }
            return question.value(of: text).map(Entry.text) ?? .nothing
        }
        if readsLine(node, step) {
            guard let line = try StandardInput.line() else {
                throw CommandFailure.interactionRequired(Text("cli.terminal.noLine", ["label": node.label]))
            }
            inputUsedForSecret = true
            return .text(.string(line.reveal()))
        }
        guard let terminal, !inputUsedForSecret else {
            return node.value.flatMap(question.value).map(Entry.text) ?? .nothing
        }
        return try await asked(node, step, terminal, deadline)
    }

    private func asked(
        _ node: Node,
        _ step: Step,
        _ terminal: TerminalDevice,
        _ deadline: Deadline?
    ) async throws -> Entry {
        let question = NodeQuestion(node: node)
        if let hint = node.hint { terminal.say(PlainText.line(hint)) }
        while true {
            let typed = try await terminal.ask(question.prompt, echo: !node.isHidden, until: deadline)
            let isSecret = node.kind == .secret
            let text = isSecret ? typed.reveal() : typed.reveal().trimmingCharacters(in: .whitespaces)
            if let choice = Self.choices(step).first(where: { text == ":choose \($0.value)" }) {
                return .action(Action.Name.choose.rawValue, value: choice.value)
            }
            if !isSecret, text.first == ":", step.actions.contains(where: { $0.name.rawValue == text.dropFirst() }) {
                return .action(String(text.dropFirst()))
            }
            if !isSecret, let action = text.wholeMatch(of: /:[a-z].*/) {
                let offered = step.actions.map { ":\(PlainText.line($0.name.rawValue))" }
                let name = PlainText.excerpt(String(action.output))
                terminal.say(Text.noAction(name, offered: offered).text)
                continue
            }
            let answer = text.isEmpty ? node.value ?? "" : text
            if let problem = question.problem(with: answer) {
                if !(isSecret && text.isEmpty) { terminal.say(PlainText.line(problem.text)) }
                continue
            }
            if isSecret, Self.choosing.contains(step.type) {
                let prompt = Text("cli.terminal.again", ["label": PlainText.line(node.label)]).text
                guard try await terminal.ask(prompt, echo: false, until: deadline) == typed else {
                    terminal.say(Text("cli.terminal.notTheSame").text)
                    continue
                }
            }
            return question.value(of: answer).map(Entry.text) ?? .nothing
        }
    }
}
