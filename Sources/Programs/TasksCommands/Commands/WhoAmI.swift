import ArgumentParser
import BrokerAPI
import BrokerClient
import FlowModel
import OAuth
import ProgramConfiguration
import Terminal

struct WhoAmI: TasksSubcommand {
    static let configuration = CommandConfiguration(commandName: "whoami", abstract: Text("help.tasks.whoAmI").text)

    @Flag(help: .text("help.tasks.whoAmI.claims")) var claims = false
    @OptionGroup var options: TasksOptions

    func run(_ correlation: CorrelationID) async throws {
        let configuration = try options.configuration()
        let (account, token) = try await connection.withBroker(correlation) {
            broker -> (AccountSummary, AcquiredToken?) in
            let account = try await options.meantAccount(broker)
            guard claims else { return (account, nil) }
            var acquire = AcquireRequest(scopes: configuration.scopes)
            acquire.client = configuration.client
            acquire.account = account.account
            acquire.correlationID = correlation
            acquire.prompt = .none
            return (account, try await broker.acquireToken(acquire))
        }
        if shared.json {
            var members = account.json.object ?? [:]
            members["claims"] = token?.claims
            try Output.json(.object(members))
        } else {
            try Output.line(account.label)
            if let token { try Output.claims(token.claims) }
        }
    }
}
