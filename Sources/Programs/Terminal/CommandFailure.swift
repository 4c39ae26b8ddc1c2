public import FlowModel
import Localization
public import OAuth

/// The reason why a command failed, with texts for users and programs and an exit code.
public struct CommandFailure: Error, Hashable, Sendable {
    /// The exit status of the program.
    public let status: ExitStatus
    /// The stable identifier for programs, such as `blocked` or `usage`.
    public let reason: String
    /// The message for users.
    public var text: Text
    /// The advice on what to do next, or `nil` if there is none.
    public var hint: Text?
    /// The text that the user typed, with the position of the error, or `nil`.
    public var excerpt: Excerpt?
    /// The correlation id of the call, or `nil` if it is not known.
    ///
    /// Text output includes the id only if ``isRecorded`` is `true`. JSON output always includes it.
    public var correlationID: CorrelationID?
    /// Whether a daemon's log or audit contains more details under the correlation id.
    public var isRecorded = false
    /// Additional members of the JSON output, such as `retryAfterMs`.
    public var facts: [String: JSONValue] = [:]

    /// The message in English, for programs.
    public var message: String { text.english }

    /// Creates a failure.
    public init(_ status: ExitStatus, _ reason: String, _ text: Text, hint: Text? = nil) {
        self.status = status
        self.reason = reason
        self.text = text
        self.hint = hint
    }

    /// A usage error in the command line.
    public static func usage(_ text: Text, hint: Text? = nil) -> CommandFailure {
        CommandFailure(.usage, "usage", text, hint: hint)
    }

    /// A configuration error that the user must fix first.
    public static func configuration(_ text: Text, hint: Text? = nil) -> CommandFailure {
        CommandFailure(.configuration, "configuration", text, hint: hint)
    }

    /// A failure because a prompt is necessary but not possible.
    public static func interactionRequired(_ text: Text, hint: Text? = nil) -> CommandFailure {
        CommandFailure(.denied, "interaction_required", text, hint: hint)
    }

    /// A failure because the user cancelled.
    public static var cancelled: CommandFailure {
        CommandFailure(.denied, "cancelled", Text("cli.terminal.cancelled"))
    }

    /// A failure because no user is signed in, or because getting a token requires a prompt that cannot be shown.
    public static func signedOut(_ program: String) -> CommandFailure {
        .interactionRequired(Text("cli.terminal.signedOut", ["program": program]))
    }

    /// A failure because no user has ever signed in.
    public static func nobodySignedIn(_ program: String) -> CommandFailure {
        .interactionRequired(Text("cli.terminal.nobody"), hint: Text("cli.terminal.nobodyHint", ["program": program]))
    }

    /// A failure because a required authentication is missing or too old, although the user is signed in.
    public static var proofMissing: CommandFailure {
        .interactionRequired(Text("cli.terminal.proofMissing"), hint: Text("cli.terminal.runInTerminal"))
    }

    /// A failure because prompts are necessary but there is no terminal.
    ///
    /// - Parameters:
    ///   - questions: A description of the prompts.
    ///   - options: The command-line options that answer the prompts in advance.
    /// - Returns: The failure, with a hint that lists the options.
    public static func noTerminal(_ questions: Text, options: [String]) -> CommandFailure {
        var unique: [String] = []
        for option in options where !unique.contains(option) { unique.append(option) }
        return .interactionRequired(
            Text("cli.terminal.noTerminal", ["questions": questions]),
            hint: Text("cli.terminal.runInTerminalOrWith", ["options": unique.joined(separator: " ")])
        )
    }

    /// Returns the lines for standard error, without a final line break.
    ///
    /// - Parameters:
    ///   - program: The program's name, which precedes the message.
    ///   - asJSON: Whether to return JSON for programs.
    /// - Returns: One line of JSON, or a message with a hint and the correlation id.
    public func text(program: String, asJSON: Bool) -> String {
        asJSON ? PlainText.json(json) : sentence(program)
    }

    private var json: JSONValue {
        var members = facts
        members["reason"] = .string(reason)
        members["message"] = .string(message)
        members["position"] = excerpt.map { .int(Int64($0.position)) }
        // A hint about rejected answers repeats the texts in `nodes`, which are in the flow's language.
        if facts["nodes"] == nil { members["hint"] = (hint?.english).map(JSONValue.string) }
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
