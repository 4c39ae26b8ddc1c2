import BrokerAPI
import BrokerClient
import FlowModel
import Terminal

/// Which of this user's accounts a command is about.
struct AccountChoice: Sendable {
    private let named: String?
    private let current: CurrentAccount
    private let broker: BrokerClient

    /// The account that was named, else the current one.
    init(_ options: TasksOptions, _ broker: BrokerClient) {
        named = options.namedAccount
        current = options.current
        self.broker = broker
    }

    /// The account's id for a token; nil leaves it to the broker, which then asks who it is.
    func id() async throws -> String? {
        if let named { return try await find(named).account }
        return current.id
    }

    /// The account; with neither one named nor a current one the only one there is.
    func summary() async throws -> AccountSummary {
        if let named { return try await find(named) }
        return try await broker.account(orOnly: current.id)
    }

    /// The account that a text means.
    func find(_ text: String) async throws -> AccountSummary {
        let accounts = try await broker.call(AccountList()).values
        return try UniquePrefix.find(text, among: accounts, "account") { [$0.account, $0.username] }
    }
}
