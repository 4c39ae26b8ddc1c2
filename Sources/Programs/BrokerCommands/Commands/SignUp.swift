import ArgumentParser
import BrokerClient
import FlowModel
import OAuth
import Terminal

struct SignUp: DaemonCommand {
    static let configuration = CommandConfiguration("sign-up", "help.broker.signUp")

    @OptionGroup var signIn: SignInOptions
    @OptionGroup var connection: ConnectionOptions

    func run(_ correlation: CorrelationID) async throws {
        let account = try await connection.withBroker(correlation, asking: signIn.answers.questions) { broker in
            try await broker.signIn(policy: UsualPolicy.signUp.name(signIn.policy, of: broker))
        }
        try Output.signedUp(account, asJSON: shared.json)
    }
}
