public import FlowModel
import Localization
public import OAuth

/// The failure of a command, with a message for users, a reason for programs, and an exit status.
public struct CommandFailure: Error, Hashable, Sendable {
    /// The exit status of the program.
    public let status: ExitStatus
    /// A stable identifier by which programs recognize the failure, such as `blocked` or `usage`.
    public let reason: String
    /// The message, in the user's language.
    public var text: Text
    /// The advice on what to do next, or `nil` if there is none.
    public var hint: Text?
    /// The user's input and the position of the error in it, or `nil` if the error has no position.
    public var excerpt: Excerpt?
    /// The failed call's correlation id, if known, which text output includes only if ``isRecorded`` is `true`.
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

    /// Returns the failure for an invalid command line.
    public static func usage(_ text: Text, hint: Text? = nil) -> CommandFailure {
        CommandFailure(.usage, "usage", text, hint: hint)
    }

    /// Returns the failure for an invalid configuration, which the user must fix before the command can succeed.
    public static func configuration(_ text: Text, hint: Text? = nil) -> CommandFailure {
        CommandFailure(.configuration, "configuration", text, hint: hint)
    }

    /// Returns the failure that is reported if a prompt is necessary but not possible.
    public static func interactionRequired(_ text: Text, hint: Text? = nil) -> CommandFailure {
        CommandFailure(.denied, "interaction_required", text, hint: hint)
    }

    /// The failure that is reported if the user cancels the command.
    public static var cancelled: CommandFailure {
        CommandFailure(.denied, "cancelled", Text("cli.terminal.cancelled"))
    }

    /// Returns the failure that is reported if no user is signed in, or if a token cannot be obtained without a prompt.
    public static func signedOut(_ program: String) -> CommandFailure {
        .interactionRequired(Text("cli.terminal.signedOut", ["program": program]))
    }

    /// Returns the failure that is reported if no user has ever signed in.
    public static func nobodySignedIn(_ program: String) -> CommandFailure {
        .interactionRequired(Text("cli.terminal.nobody"), hint: Text("cli.terminal.nobodyHint", ["program": program]))
    }

    /// The failure that is reported if the user is signed in, but required authentication is missing or too old.
    public static var proofMissing: CommandFailure {
        .interactionRequired(Text("cli.terminal.proofMissing"), hint: Text("cli.terminal.runInTerminal"))
    }

    /// Returns the failure that is reported if prompts are necessary but there is no terminal.
    ///
    /// `questions` describes the prompts, and `options` are the command-line options that answer them.
    public static func noTerminal(_ questions: Text, options: [String]) -> CommandFailure {
        var unique: [String] = []
        for option in options where !unique.contains(option) { unique.append(option) }
        return .interactionRequired(
            Text("cli.terminal.noTerminal", ["questions": questions]),
            hint: Text("cli.terminal.runInTerminalOrWith", ["options": unique.joined(separator: " ")])
        )
    }

    /// Returns the text for standard error, as one line of JSON or as lines for the user, without a final line break.
    public func text(program: String, asJSON: Bool) -> String {
        asJSON ? PlainText.json(json) : sentence(program)
    }

    private var json: JSONValue {
        var members = facts
        members["reason"] = .string(reason)
        members["message"] = .string(message)
        members["position"] = excerpt.map { .int(Int64($0.position)) }
        // If the failure has `nodes`, which describe rejected answers, the hint would only repeat their texts.
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
