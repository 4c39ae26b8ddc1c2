public import FlowModel
import Localization
public import OAuth

/// Why a command failed, with a message for users, a reason for programs, and an exit status.
public struct CommandFailure: Error, Hashable, Sendable {
    /// The exit status of the program.
    public let status: ExitStatus
    /// The stable identifier for programs, such as `blocked` or `usage`.
    public let reason: String
    /// The message, in the user's language.
    public var text: Text
    /// The advice on what to do next, or `nil` if there is none.
    public var hint: Text?
    /// The user's input with the position of the error, or `nil` if there is none.
    public var excerpt: Excerpt?
    /// The call's correlation id, or `nil` if unknown.
    ///
    /// Text output includes it only if ``isRecorded`` is `true`.
    public var correlationID: CorrelationID?
    /// Whether a daemon's log or audit log contains more details under the correlation id.
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

    /// The failure to report if a prompt is necessary but not possible.
    public static func interactionRequired(_ text: Text, hint: Text? = nil) -> CommandFailure {
        CommandFailure(.denied, "interaction_required", text, hint: hint)
    }

    /// The failure to report if the user cancelled.
    public static var cancelled: CommandFailure {
        CommandFailure(.denied, "cancelled", Text("cli.terminal.cancelled"))
    }

    /// The failure to report if no user is signed in, or if a token cannot be obtained without a prompt.
    public static func signedOut(_ program: String) -> CommandFailure {
        .interactionRequired(Text("cli.terminal.signedOut", ["program": program]))
    }

    /// The failure to report if no user has ever signed in.
    public static func nobodySignedIn(_ program: String) -> CommandFailure {
        .interactionRequired(Text("cli.terminal.nobody"), hint: Text("cli.terminal.nobodyHint", ["program": program]))
    }

    /// The failure to report if the user is signed in, but required authentication is missing or too old.
    public static var proofMissing: CommandFailure {
        .interactionRequired(Text("cli.terminal.proofMissing"), hint: Text("cli.terminal.runInTerminal"))
    }

    /// The failure to report if prompts are necessary but there is no terminal.
    ///
    /// The failure's hint lists `options`, which answer the prompts on the command line. `questions` describes the
    /// prompts.
    public static func noTerminal(_ questions: Text, options: [String]) -> CommandFailure {
        var unique: [String] = []
        for option in options where !unique.contains(option) { unique.append(option) }
        return .interactionRequired(
            Text("cli.terminal.noTerminal", ["questions": questions]),
            hint: Text("cli.terminal.runInTerminalOrWith", ["options": unique.joined(separator: " ")])
        )
    }

    /// Returns the lines for standard error, without a final line break: one line of JSON, or a message with a hint.
    public func text(program: String, asJSON: Bool) -> String {
        asJSON ? PlainText.json(json) : sentence(program)
    }

    private var json: JSONValue {
        var members = facts
        members["reason"] = .string(reason)
        members["message"] = .string(message)
        members["position"] = excerpt.map { .int(Int64($0.position)) }
        // A hint about rejected answers would only repeat the texts in `nodes`, which are in the flow's language.
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
