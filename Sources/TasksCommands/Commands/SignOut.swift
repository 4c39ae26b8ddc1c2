import ArgumentParser
import BrokerAPI
import BrokerClient
import FlowModel
import OAuth
import Terminal

/// Ends what an account has.
struct SignOut: Command {
    static let configuration = CommandConfiguration(
        commandName: "sign-out",
        abstract: "Remove tokens, sessions and flows of the current account, and revoke what renews them."
    )

    @Flag(help: "All accounts of this user of the machine.") var all = false
    @OptionGroup var options: TasksOptions
    @OptionGroup var shared: SharedOptions

    func run(_ correlation: CorrelationID) async throws {
        let answer = try await options.connection.withBroker(correlation) { broker in
            let extent: SignOutRequest.Extent =
                all ? .all : .account(try await AccountChoice(options, broker).summary().account)
            return try await broker.call(SignOutRequest(extent))
        }
        if all || options.namedAccount == nil { options.current.clear() }
        try Output.signedOut(answer, asJSON: shared.json)
    }
}
