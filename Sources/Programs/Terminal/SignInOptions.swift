public import ArgumentParser

/// The options of the commands for sign-up and sign-in.
public struct SignInOptions: ParsableArguments {
    /// The policy, or `nil` if the user did not specify one.
    @Option(help: .text("help.shared.signInOptions.policy")) public var policy: String?
    /// The answers on the command line.
    @OptionGroup public var answers: AnswerOptions

    /// Creates options for the argument parser to fill in.
    public init() {}
}
