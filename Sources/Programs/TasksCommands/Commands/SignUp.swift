import ArgumentParser
import BrokerAPI
import FlowModel
import OAuth
import Policies
import ProgramConfiguration
import Terminal

/// Makes an account.
struct SignUp: Command {
    static let configuration = CommandConfiguration("sign-up", "help.tasks.signUp")

    @OptionGroup var signIn: SignInOptions
    @OptionGroup var options: TasksOptions
    @OptionGroup var shared: SharedOptions

    func run(_ correlation: CorrelationID) async throws {
        let configuration = try options.configuration()
        try await SigningIn(configuration, options.current, signIn.answers.questions, shared)
            .run(.create, signIn.policy ?? configuration.signUp.description, options.connection, correlation)
    }
}
