public import ArgumentParser
import FlowModel

/// Options that give a command its answers, so that nobody is asked.
public struct AnswerOptions: ParsableArguments {
    /// Answers, by the names of their fields.
    @Option(name: .customLong("answer"), help: .text("help.shared.answerOptions.answers", valueName: "name=value"))
    public var answers: [Answer] = []

    /// True if a password is read from stdin.
    @Flag(name: .customLong("password-stdin"), help: .text("help.shared.answerOptions.passwordFromInput"))
    public var passwordFromInput = false

    /// As the command line says.
    public init() {}

    /// Questions that use these answers first.
    public var questions: Questions {
        Questions(
            given: Dictionary(answers.map { ($0.name, $0.value) }) { $1 },
            readsInput: passwordFromInput
        )
    }

    /// Refuses secrets, since others can read the command line.
    public func validate() throws {
        if answers.contains(where: { Self.secrets.contains($0.name) }) {
            throw ValidationError(Text("cli.terminal.noSecrets"))
        }
    }

    /// The fields whose answers never stand on a command line.
    static let secrets: Set<String> = ["password", "newPassword", "pin", "passphrase", "code"]

    /// One answer, `name=value`.
    public struct Answer: ExpressibleByArgument, Hashable, Sendable {
        /// The field.
        public let name: String
        /// The answer.
        public let value: String

        /// Splits at the first `=`.
        public init?(argument: String) {
            guard let equals = argument.firstIndex(of: "="), equals != argument.startIndex else { return nil }
            name = String(argument[..<equals])
            value = String(argument[argument.index(after: equals)...])
        }
    }
}
