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
    /// Works on the tasks of the account that is meant; whoever is not signed in is asked.
    ///
    /// Earlier changes come first, where the API may be asked; what the body changes goes to it afterwards.
    ///
    /// - Parameters:
    ///   - correlation: Ties the calls to both daemons' logs.
    ///   - network: The use of the network.
    ///   - body: The work.
    /// - Returns: The body's value.
    /// - Throws: A `CommandFailure` where the API refused what the body changed, and what the body throws.
    func withTasks<Value: Sendable>(
        _ correlation: CorrelationID,
        _ network: NetworkOptions,
        _ body: (TasksSession) async throws -> Value
    ) async throws -> Value {
        let configuration = try configuration()
        let mayConnect = try network.mayConnect(configuration)
        return try await withStore(correlation, configuration: configuration) { session, api in
            var session = session
            session.isOnline = mayConnect
            let sync = Sync(session: session, api: api)
            if mayConnect { session.unreached = try await sync.refresh() }
            let value = try await body(session)
            if mayConnect, session.unreached == nil { try await sync.deliver() }
            return value
        }
    }

    /// Opens the store of the account that is meant, with the API behind it, and asks nothing there.
    ///
    /// - Parameters:
    ///   - correlation: Ties the calls to both daemons' logs.
    ///   - options: The ways in which the command takes part in a sync.
    ///   - kind: The kind of the store; nil for that of the configuration.
    ///   - configuration: The configuration; nil if it has not been read yet.
    ///   - body: The work.
    /// - Returns: The body's value.
    /// - Throws: What keeps the store from being opened, and what the body throws.
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

    /// Opens a store, and sets it aside if damage shows at any statement of `body`; if nothing was changed in it before,
    /// `body` runs once more on the new one.
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

    /// The stores of this user's accounts.
    var stores: LocalStores { LocalStores(dataDirectory: dataDirectory ?? paths.tasksData) }

    /// The account whose store is meant; whoever is not signed in is asked.
    private func meantAccount(_ request: AcquireRequest, _ broker: BrokerClient) async throws -> String {
        if let account = request.account { return account }
        let token = try await broker.acquireToken(request)
        try current.set(token.account)
        return token.account
    }

    /// Asks the API as the account that is meant.
    ///
    /// - Parameters:
    ///   - correlation: Ties the calls to both daemons' logs.
    ///   - scopes: The scopes that a token must allow; those of the configuration if there are none.
    ///   - body: The work.
    /// - Returns: The body's value.
    /// - Throws: What the body throws, as a `CommandFailure` where the API refused.
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

    /// Runs `body` with a request for tokens; once more if the API wants to know better who asks (RFC 9470).
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
                // A policy that does not grant it says so before anybody has signed in, which comes first.
                guard request.account == nil, try await broker.accounts().isEmpty else { throw error }
                throw await signedOut(broker)
            }
        }
    }

    /// The failure of a request that nobody could be asked for: a proof is missing if the usual scopes need no question.
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

    /// The failure where somebody has to sign in: a stranger is told of signing up, too.
    private func signedOut(_ broker: BrokerClient) async -> CommandFailure {
        guard !current.wasSignedIn, (try? await broker.accounts().isEmpty) == true else { return .signedOut("tasks") }
        return .nobodySignedIn("tasks")
    }
}
