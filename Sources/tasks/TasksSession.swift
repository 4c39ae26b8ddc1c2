import BrokerAPI
import BrokerClient
import Foundation
import OAuth
import ProgramConfiguration
import Tables
import TablesClient
import Terminal

/// The tasks of an account, through the API.
struct TasksSession: Sendable {
    private let tables: TablesClient

    /// The tasks behind a client of the API.
    init(_ tables: TablesClient) {
        self.tables = tables
    }

    /// All tasks, as the API orders them.
    func all() async throws -> [TodoItem] {
        try await tables.list(TodoItem.table).map(TodoItem.init)
    }

    /// Adds a task.
    func add(_ values: [String: TableValue], id: RowID?) async throws -> TodoItem {
        TodoItem(row: try await tables.insert(TodoItem.table, values, id: id))
    }

    /// Changes a task, unless somebody else has changed it meanwhile.
    func change(_ item: TodoItem, _ values: [String: TableValue]) async throws -> TodoItem {
        TodoItem(row: try await tables.update(TodoItem.table, item.row.id, values, ifMatch: item.row.version))
    }

    /// Deletes a task, unless somebody else has changed it meanwhile.
    func delete(_ item: TodoItem) async throws {
        try await tables.delete(TodoItem.table, item.row.id, ifMatch: item.row.version)
    }

    /// The tasks that ids, or beginnings of ids, mean; each once.
    func find(_ ids: [String]) async throws -> [TodoItem] {
        let items = try await all()
        var found: [TodoItem] = []
        for id in ids {
            let item = try UniquePrefix.find(id, among: items, "task") { [$0.id] }
            if !found.contains(where: { $0.id == item.id }) { found.append(item) }
        }
        return found
    }
}

extension TasksOptions {
    /// Works on the tasks of the account that is meant; whoever is not signed in is asked.
    ///
    /// - Parameters:
    ///   - correlation: What ties the calls to both daemons' logs.
    ///   - body: What is done.
    /// - Returns: What the body returns.
    /// - Throws: What the body throws, as a `CommandFailure` where the API refused.
    func withTasks<Value: Sendable>(
        _ correlation: CorrelationID,
        _ body: (TasksSession) async throws -> Value
    ) async throws -> Value {
        let configuration = try configuration()
        let api = try configuration.address()
        let questions = Questions()
        return try await connection.withBroker(correlation, client: configuration.client, asking: questions) { broker in
            var request = TokenAcquire(scopes: configuration.scopes)
            request.additionalScopes = configuration.additionalScopes
            request.account = try await AccountChoice(self, broker).id()
            if !questions.canAnswer { request.prompt = .none }
            let source = TokenSource(request: request, broker: broker, current: current)
            do {
                return try await TablesClient.with(
                    api,
                    correlationID: correlation,
                    token: { try await source.token(forceRefresh: $0) },
                    { try await body(TasksSession($0)) }
                )
            } catch let error as TablesError {
                throw CommandFailure(error, api)
            }
        }
    }
}

/// Where the API's client gets its tokens from.
private struct TokenSource: Sendable {
    let request: TokenAcquire
    let broker: BrokerClient
    let current: CurrentAccount

    func token(forceRefresh: Bool) async throws -> Secret {
        var request = request
        request.forceRefresh = forceRefresh
        let token = try await broker.acquireToken(request)
        // Whoever was asked, and signed in, is the current account from now on.
        if request.account == nil { try current.set(token.account) }
        return token.accessToken
    }
}
