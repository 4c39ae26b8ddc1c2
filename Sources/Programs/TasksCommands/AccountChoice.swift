import BrokerAPI
import BrokerClient
import FlowModel
import Terminal

/// The choice of the account of this user that a command is about.
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
        if named != nil { return try await summary().account }
        guard let id = current.id else { return nil }
        if try await broker.accounts().contains(where: { $0.account == id }) { return id }
        current.clear()
        return nil
    }

    /// The account; with neither one named nor a current one the only one there is.
    func summary() async throws -> AccountSummary {
        try await broker.account(
            named: named,
            current: current.id,
            wasSignedIn: current.wasSignedIn,
            program: "tasks"
        )
    }
}
