import ArgumentParser
import BrokerAPI
import FlowModel
import OAuth
import Policies
import ProgramConfiguration
import Terminal

struct SignUp: TasksSubcommand {
    static let configuration = CommandConfiguration("sign-up", "help.tasks.signUp")

    @OptionGroup var signIn: SignInOptions
    @OptionGroup var options: TasksOptions

    func run(_ correlation: CorrelationID) async throws {
        try await authenticate(.create, \.signUp, signIn, correlation)
    }
}
