public import ArgumentParser

/// Options of the commands that sign a person up or in.
public struct SignInOptions: ParsableArguments {
    /// The policy that was named.
    @Option(help: .text("help.shared.signInOptions.policy")) public var policy: String?
    /// The answers that came with the command.
    @OptionGroup public var answers: AnswerOptions

    /// As the command line says.
    public init() {}
}
