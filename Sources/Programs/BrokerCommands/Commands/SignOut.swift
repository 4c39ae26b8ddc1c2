import ArgumentParser
import BrokerAPI
import BrokerClient
import FlowModel
import OAuth
import Terminal

struct SignOut: DaemonCommand {
    static let configuration = CommandConfiguration("sign-out", "help.broker.signOut")

    @Option(help: .text("help.broker.signOut.account")) var account: String?
    @Flag(help: .text("help.broker.signOut.all")) var all = false
    @OptionGroup var connection: ConnectionOptions

    func validate() throws {
        if all, account != nil { throw ValidationError(Text("cli.broker.accountOrAll")) }
    }

    func run(_ correlation: CorrelationID) async throws {
        let removed = try await connection.withBroker(correlation) { broker in
            // `.all` does not need the list of accounts, which a locked cache cannot return. If no user is signed in,
            // `.all` deletes nothing.
            if all { return try await broker.call(SignOutRequest(.all)) }
            if account == nil, try await broker.accounts().isEmpty {
                return try await broker.call(SignOutRequest(.all))
            }
            return try await broker.call(SignOutRequest(.account(try await broker.holder(named: account))))
        }
        try Output.signedOut(removed, asJSON: shared.json)
    }
}
