public import ArgumentParser
import FlowModel

/// Command-line options that answer prompts.
public struct AnswerOptions: ParsableArguments {
    /// The answers, each with the name of the field that it fills in.
    @Option(name: .customLong("answer"), help: .text("help.shared.answerOptions.answers", valueName: "name=value"))
    public var answers: [Answer] = []

    /// Whether to read a password from standard input.
    @Flag(name: .customLong("password-stdin"), help: .text("help.shared.answerOptions.passwordFromInput"))
    public var passwordFromInput = false

    /// Whether to read a PIN, but no other secret, from standard input.
    @Flag(name: .customLong("pin-stdin"), help: .text("help.shared.answerOptions.pinFromInput"))
    public var pinFromInput = false

    /// Creates options for the argument parser to fill in.
    public init() {}

    /// A prompt handler that uses these answers before it prompts the user.
    public var questions: Questions {
        Questions(
            given: Dictionary(answers.map { ($0.name, $0.value) }) { $1 },
            readsInput: passwordFromInput,
            readsPIN: pinFromInput
        )
    }

    /// Rejects answers that are secrets, because other users can read the command line, and contradictory options.
    public func validate() throws {
        if passwordFromInput, pinFromInput { throw ValidationError(Text("cli.terminal.inputTwice")) }
        if answers.contains(where: { Self.secrets.contains($0.name) }) {
            throw ValidationError(Text("cli.terminal.noSecrets"))
        }
    }

    /// The fields whose answers are not accepted on a command line.
    static let secrets: Set<String> = ["password", "newPassword", "pin", "passphrase", "code"]

    /// An answer in the form `name=value`.
    public struct Answer: ExpressibleByArgument, Hashable, Sendable {
        /// The name of the field.
        public let name: String
        /// The answer as typed.
        public let value: String

        /// Splits the argument at the first `=`, or returns `nil` if there is no `=` or nothing before it.
        public init?(argument: String) {
            guard let equals = argument.firstIndex(of: "="), equals != argument.startIndex else { return nil }
            name = String(argument[..<equals])
            value = String(argument[argument.index(after: equals)...])
        }
    }
}
