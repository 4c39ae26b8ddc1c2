public import FlowModel
import Localization
public import OAuth

/// Why a command ends without having done what it was asked: what people and programs are told, and the exit code.
public struct CommandFailure: Error, Hashable, Sendable {
    /// The exit code.
    public let status: ExitStatus
    /// The stable word for programs, such as `blocked` or `usage`.
    public let reason: String
    /// The sentence for people.
    public var text: Text
    /// Advice for the person who typed the command.
    public var hint: Text?
    /// The text that was typed, and the position of the mistake in it.
    public var excerpt: Excerpt?
    /// The id of the call; people read it if ``isRecorded``, programs always.
    public var correlationID: CorrelationID?
    /// True if a daemon's log or audit holds more about it, under the correlation id.
    public var isRecorded = false
    /// Other members of the JSON, such as `retryAfterMs`.
    public var facts: [String: JSONValue] = [:]

    /// The sentence in English, as programs read it.
    public var message: String { text.english }

    /// A failure.
    public init(_ status: ExitStatus, _ reason: String, _ text: Text, hint: Text? = nil) {
        self.status = status
        self.reason = reason
        self.text = text
        self.hint = hint
    }

    /// The command was not written as it must be.
    public static func usage(_ text: Text, hint: Text? = nil) -> CommandFailure {
        CommandFailure(.usage, "usage", text, hint: hint)
    }

    /// A file is wrong, which the person has to correct first.
    public static func configuration(_ text: Text, hint: Text? = nil) -> CommandFailure {
        CommandFailure(.configuration, "configuration", text, hint: hint)
    }

    /// A person is needed.
    public static func interactionRequired(_ text: Text, hint: Text? = nil) -> CommandFailure {
        CommandFailure(.denied, "interaction_required", text, hint: hint)
    }

    /// The person ended it.
    public static var cancelled: CommandFailure {
        CommandFailure(.denied, "cancelled", Text("cli.terminal.cancelled"))
    }

    /// Nobody is signed in, or what there is gives nothing without a question that nobody can be asked.
    public static func signedOut(_ program: String) -> CommandFailure {
        .interactionRequired(Text("cli.terminal.signedOut", ["program": program]))
    }

    /// There is no account at all, and never was one.
    public static func nobodySignedIn(_ program: String) -> CommandFailure {
        .interactionRequired(Text("cli.terminal.nobody"), hint: Text("cli.terminal.nobodyHint", ["program": program]))
    }

    /// Somebody is signed in, but the request asks for a proof that is missing or too old.
    public static var proofMissing: CommandFailure {
        .interactionRequired(Text("cli.terminal.proofMissing"), hint: Text("cli.terminal.runInTerminal"))
    }

    /// Questions have nobody to answer them.
    ///
    /// - Parameters:
    ///   - questions: What would be asked for.
    ///   - options: The options that answer beforehand.
    /// - Returns: The failure, whose hint names those options.
    public static func noTerminal(_ questions: Text, options: [String]) -> CommandFailure {
        var unique: [String] = []
        for option in options where !unique.contains(option) { unique.append(option) }
        return .interactionRequired(
            Text("cli.terminal.noTerminal", ["questions": questions]),
            hint: Text("cli.terminal.runInTerminalOrWith", ["options": unique.joined(separator: " ")])
        )
    }

    /// The lines for stderr, without the end of the last one.
    ///
    /// - Parameters:
    ///   - program: The name in front of the sentence.
    ///   - asJSON: Whether programs read it.
    /// - Returns: One JSON line, or a sentence with a hint and the correlation id.
    public func text(program: String, asJSON: Bool) -> String {
        asJSON ? PlainText.json(json) : sentence(program)
    }

    private var json: JSONValue {
        var members = facts
        members["reason"] = .string(reason)
        members["message"] = .string(message)
        members["position"] = excerpt.map { .int(Int64($0.position)) }
        members["hint"] = (hint?.english).map(JSONValue.string)
        members["correlationId"] = correlationID.map { .string($0.description) }
        return ["error": .object(members)]
    }

    private func sentence(_ program: String) -> String {
        var lines = ["\(program): error: \(PlainText.line(text.text))"]
        if let excerpt { lines += excerpt.lines }
        if let hint { lines.append("hint: \(PlainText.line(hint.text))") }
        if let correlationID, isRecorded { lines.append("correlation id: \(correlationID)") }
        return lines.joined(separator: "\n")
    }
}
