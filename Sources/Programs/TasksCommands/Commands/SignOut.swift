import ArgumentParser
import BrokerAPI
import BrokerClient
import FlowModel
import OAuth
import OfflineTables
import Terminal

struct SignOut: TasksSubcommand {
    static let configuration = CommandConfiguration("sign-out", "help.tasks.signOut")

    @Flag(help: .text("help.broker.signOut.all")) var all = false
    @Flag(help: .text("help.tasks.signOut.discard")) var discard = false
    @OptionGroup var options: TasksOptions

    func run(_ correlation: CorrelationID) async throws {
        let accounts = try await meantAccounts()
        if !discard { for account in accounts { try await deliver(account, correlation) } }
        let saved = accounts.flatMap(options.stores.savedEdits)
        if !discard, let file = saved.first {
            throw CommandFailure(
                .tryLater,
                "saved_edits",
                Text("cli.tasks.savedEdits", ["file": file]),
                hint: Text("cli.tasks.savedEditsHint")
            )
        }
        let answer = try await connection.withBroker(correlation) { broker in
            let extent: SignOutRequest.Extent =
                if let account = accounts.first, !all { .account(account) } else { .all }
            return try await broker.call(SignOutRequest(extent))
        }
        for account in accounts { try options.stores.remove(account) }
        // Signing out of all accounts deletes the stores' keys, so encrypted stores that remain cannot be opened again.
        if all { options.stores.setAllAside() }
        if all || options.namedAccount == nil { options.current.clear() }
        try Output.signedOut(answer, asJSON: shared.json)
    }

    /// Returns the ids of the accounts to sign out of.
    ///
    /// With `--all`, the result is empty if the cache is locked, because the accounts are then unknown.
    private func meantAccounts() async throws -> [String] {
        try await connection.withBroker(.random()) { broker in
            guard all else { return [try await options.meantAccount(broker).account] }
            do {
                return try await broker.accounts().map(\.account)
            } catch let error as BrokerError where error.refusal == .locked {
                return []
            }
        }
    }

    /// Sends an account's pending edits to the API, or throws a failure with exit status 75 if some remain.
    private func deliver(_ account: String, _ correlation: CorrelationID) async throws {
        var options = options
        options.account = account
        let kinds = options.stores.kinds(account)
        var left = 0
        // If an account has two stores, each contains its own edits, so neither is converted to the configured kind.
        for kind in kinds { left += try await deliver(options, kinds.count > 1 ? kind : nil, correlation) }
        guard left > 0 else { return }
        throw CommandFailure(
            .tryLater,
            "pending",
            Text("cli.tasks.unsent", ["count": left]),
            hint: Text("cli.tasks.unsentHint")
        )
    }

    /// Sends a store's pending edits, and returns how many remain, or 0 if the user discards them.
    private func deliver(
        _ options: TasksOptions,
        _ kind: LocalStores.Kind?,
        _ correlation: CorrelationID
    ) async throws -> Int {
        try await options.withStore(correlation, SyncContext.Options(), kind) { session, api in
            let count = try await session.context.pendingOperationsCount()
            guard count > 0, try await isWanted(count) else { return 0 }
            do {
                _ = try await Sync(session: session, api: api).push()
            } catch is SyncError {
                // The remaining edits are counted below.
            }
            return try await session.context.pendingOperationsCount()
        }
    }

    /// Asks the user whether to send pending edits, or returns `true` if there is no terminal.
    private func isWanted(_ count: Int) async throws -> Bool {
        guard let terminal = TerminalDevice() else { return true }
        let question = Text("cli.tasks.sendFirst", ["count": count]).text
        return try await terminal.ask(question, echo: true).reveal().lowercased().first != "n"
    }
}
