import BrokerAPI
import BrokerClient
import FlowModel
import OAuth
import OfflineTables
import ProgramConfiguration
import Storage
import Tables
import TablesClient
import Terminal

extension TasksOptions {
    /// Runs `body` with the account's tasks, after a sign-in if necessary, and throws if the API rejects its changes.
    ///
    /// If the API can be reached, changes are pushed before and after `body` runs. `rejected` is called with each change
    /// of `body` that the API rejects.
    func withTasks<Value: Sendable>(
        _ correlation: CorrelationID,
        _ network: NetworkOptions,
        rejected: (TableOperationError) -> Void = { _ in },
        _ body: (TasksSession) async throws -> Value
    ) async throws -> Value {
        let configuration = try configuration()
        let mayConnect = try network.mayConnect(configuration)
        // After an additional verification, the closure runs again and only delivers the changes that `body` has made.
        var done: Value?
        return try await withStore(correlation, configuration: configuration) { session, api in
            var session = session
            session.isOnline = mayConnect
            let sync = Sync(session: session, api: api)
            if mayConnect, done == nil { session.unreached = try await sync.refresh() }
            let value = if let done { done } else { try await body(session) }
            done = value
            if mayConnect, session.unreached == nil { try await sync.deliver { rejected($0) } }
            return value
        }
    }

    /// Runs `body` with the account's store and an API client, without sending a request to the API first.
    ///
    /// If `kind` or `configuration` is `nil`, the user's configuration applies.
    func withStore<Value: Sendable>(
        _ correlation: CorrelationID,
        _ options: SyncContext.Options = SyncContext.Options(),
        _ kind: LocalStores.Kind? = nil,
        configuration: TasksConfiguration? = nil,
        _ body: (TasksSession, APIAddress) async throws -> Value
    ) async throws -> Value {
        let configuration = try configuration ?? self.configuration()
        let api = try configuration.address()
        return try await withAcquisition(correlation, configuration, scopes: []) { request, broker in
            let account = try await meantAccount(request, broker)
            let kind = kind ?? LocalStores.Kind(seals: configuration.seals)
            let isSealed = ([kind] + stores.kinds(account)).contains(.sealed)
            let key = isSealed ? try await broker.storeKey(account: account, purpose: LocalStores.purpose) : nil
            var request = request
            request.account = account
            let source = APITokenSource(request: request, for: api, broker: broker, current: current)
            let table = try TableDeclaration.todoitem
            return try await withStore(account, kind, key) { store in
                try await TablesClient.with(
                    api,
                    correlationID: correlation,
                    limits: Sync.limits,
                    trustedLoopback: configuration.trustedLoopback,
                    token: source.token
                ) { client in
                    let context = SyncContext(store, tables: [table], client: client, options: options)
                    let session = TasksSession(
                        table: try context.table(table.name),
                        remote: client.table(table.name),
                        isOnline: true,
                        correlation: correlation
                    )
                    return try await body(session, api)
                }
            }
        }
    }

    /// Runs `body` with a store, and again with a new store if damage is found before `body` has changed anything.
    private func withStore<Value: Sendable>(
        _ account: String,
        _ kind: LocalStores.Kind,
        _ key: Secret?,
        _ body: (SQLiteSyncStore) async throws -> Value
    ) async throws -> Value {
        var mayRepeat = true
        while true {
            let store = try await stores.open(account, kind, key: key)
            let outcome: Result<Value, any Error>
            do {
                outcome = .success(try await body(store))
            } catch {
                outcome = .failure((error as? StoreError).map(CommandFailure.init) ?? error)
            }
            guard store.isDamaged else {
                try? store.close()
                return try outcome.get()
            }
            try await stores.setAside(store, kind, key: key)
            guard mayRepeat, !store.hasChanged else { throw CommandFailure.storeDamaged }
            mayRepeat = false
        }
    }

    var stores: LocalStores { LocalStores(dataDirectory: dataDirectory ?? paths.tasksData) }

    /// Returns the selected account's id, and prompts for sign-in if necessary.
    private func meantAccount(_ request: AcquireRequest, _ broker: BrokerClient) async throws -> String {
        if let account = request.account { return account }
        let token = try await broker.acquireToken(request)
        try current.set(token.account)
        return token.account
    }

    /// Runs `body` with an API client for the account, and with the configured scopes if `scopes` is empty.
    func withTables<Value: Sendable>(
        _ correlation: CorrelationID,
        scopes: [String],
        _ body: (TablesClient) async throws -> Value
    ) async throws -> Value {
        let configuration = try configuration()
        let api = try configuration.address()
        return try await withAcquisition(correlation, configuration, scopes: scopes) { request, broker in
            let source = APITokenSource(request: request, for: api, broker: broker, current: current)
            return try await TablesClient.with(
                api,
                correlationID: correlation,
                trustedLoopback: configuration.trustedLoopback,
                token: source.token,
                body
            )
        }
    }

    /// Runs `body`, and runs it again with a stricter token request if the API requires that (RFC 9470).
    private func withAcquisition<Value: Sendable>(
        _ correlation: CorrelationID,
        _ configuration: TasksConfiguration,
        scopes: [String],
        _ body: (AcquireRequest, BrokerClient) async throws -> Value
    ) async throws -> Value {
        let api = try configuration.address()
        let questions = Questions()
        return try await connection.withBroker(correlation, client: configuration.client, asking: questions) { broker in
            var request = AcquireRequest(scopes: scopes.isEmpty ? configuration.scopes : scopes)
            request.additionalScopes = configuration.additionalScopes
            request.account = try await accountID(broker)
            if !questions.canAnswer { request.prompt = .none }
            do {
                do {
                    return try await body(request, broker)
                } catch let error as TablesError {
                    guard let better = error.challenge.flatMap(request.meeting) else { throw error }
                    return try await body(better, broker)
                }
            } catch let error as TablesError {
                throw CommandFailure(error, api)
            } catch let error as BrokerError where error.refusal == .interactionRequired {
                throw await unanswered(request, configuration.scopes, broker)
            } catch let error as BrokerError where error.refusal == .scopeDenied {
                // The daemon also reports a missing scope if no user is signed in, in which case the user must sign in.
                guard request.account == nil, try await broker.accounts().isEmpty else { throw error }
                throw await signedOut(broker)
            }
        }
    }

    /// Returns the failure for a prompt that could not be shown.
    ///
    /// The failure says whether the user must sign in or must only complete an additional verification.
    private func unanswered(
        _ request: AcquireRequest,
        _ usual: [String],
        _ broker: BrokerClient
    ) async -> CommandFailure {
        var plain = AcquireRequest(scopes: usual)
        plain.account = request.account
        plain.prompt = .none
        guard request.scopes != usual, (try? await broker.acquireToken(plain)) != nil else {
            return await signedOut(broker)
        }
        return .proofMissing
    }

    /// Returns the failure for a missing sign-in, which mentions signing up if no account has ever been stored.
    private func signedOut(_ broker: BrokerClient) async -> CommandFailure {
        guard !current.wasSignedIn, (try? await broker.accounts().isEmpty) == true else { return .signedOut("tasks") }
        return .nobodySignedIn("tasks")
    }
}
