public import ArgumentParser

/// The options shared by the sign-up and sign-in commands.
public struct SignInOptions: ParsableArguments {
    /// The name of the policy, or `nil` if the user did not specify a policy.
    @Option(help: .text("help.shared.signInOptions.policy")) public var policy: String?
    /// The options that answer prompts on the command line.
    @OptionGroup public var answers: AnswerOptions

    /// Creates options for the argument parser to fill in.
    public init() {}
}
