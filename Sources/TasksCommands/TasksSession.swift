import BrokerAPI
import BrokerClient
import FlowModel
import Foundation
import OAuth
import ProgramConfiguration
import Tables
import TablesClient
import Terminal

/// The tasks of an account, through the API.
struct TasksSession: Sendable {
    private let table: RemoteTable

    /// The tasks behind a client of the API.
    init(_ tables: TablesClient) {
        table = tables.table(TodoItem.table)
    }

    /// The tasks that a query finds, over all pages.
    func found(_ query: Query) async throws -> FoundTasks {
        var items: [TodoItem] = []
        var count: Int?
        for try await page in table.pages(query) {
            items += page.rows.map(TodoItem.init)
            count = page.totalCount
        }
        return FoundTasks(items: items, count: count)
    }

    /// Adds a task; an id that is made here is random from its first digit, so that few of them name it.
    func add(_ values: [String: TableValue], id: RowID?) async throws -> TodoItem {
        TodoItem(row: try await table.insert(values, id: (id ?? .random()).text))
    }

    /// Changes a task, unless somebody else has changed it meanwhile.
    func change(_ item: TodoItem, _ values: [String: TableValue]) async throws -> TodoItem {
        TodoItem(row: try await table.update(item.id, values, ifMatch: item.row.version))
    }

    /// Deletes a task, unless somebody else has changed it meanwhile.
    func delete(_ item: TodoItem) async throws {
        try await table.delete(item.row)
    }

    /// Brings a deleted task back, unless somebody else has done so.
    func restore(_ item: TodoItem) async throws -> TodoItem {
        TodoItem(row: try await table.undelete(item.row))
    }

    /// The tasks that ids, or beginnings of ids, mean; each once.
    func find(_ ids: [String], deleted: Bool = false) async throws -> [TodoItem] {
        let query = deleted ? Query().includeDeleted() : Query()
        let items = try await found(query).items.filter { $0.row.isDeleted == deleted }
        var found: [TodoItem] = []
        for id in ids {
            let item = try UniquePrefix.find(id, among: items, deleted ? "deleted task" : "task") { [$0.id] }
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
        try await withTables(correlation, scopes: []) { try await body(TasksSession($0)) }
    }

    /// Asks the API as the account that is meant.
    ///
    /// - Parameters:
    ///   - correlation: What ties the calls to both daemons' logs.
    ///   - scopes: What a token must allow; those of the configuration if there are none.
    ///   - body: What is done; once more if the API wants to know better who asks (RFC 9470).
    /// - Returns: What the body returns.
    /// - Throws: What the body throws, as a `CommandFailure` where the API refused.
    func withTables<Value: Sendable>(
        _ correlation: CorrelationID,
        scopes: [String],
        _ body: (TablesClient) async throws -> Value
    ) async throws -> Value {
        let configuration = try configuration()
        let api = try configuration.address()
        let questions = Questions()
        return try await connection.withBroker(correlation, client: configuration.client, asking: questions) { broker in
            var request = AcquireRequest(scopes: scopes.isEmpty ? configuration.scopes : scopes)
            request.additionalScopes = configuration.additionalScopes
            request.account = try await AccountChoice(self, broker).id()
            if !questions.canAnswer { request.prompt = .none }
            func ask(_ request: AcquireRequest) async throws -> Value {
                let source = TokenSource(request: request, broker: broker, current: current)
                return try await TablesClient.with(api, correlationID: correlation, token: source.token, body)
            }
            do {
                do {
                    return try await ask(request)
                } catch let error as TablesError {
                    guard let better = error.challenge.flatMap(request.meeting) else { throw error }
                    return try await ask(better)
                }
            } catch let error as TablesError {
                throw CommandFailure(error, api)
            } catch let error as BrokerError where error.refusal == .interactionRequired {
                throw CommandFailure.signedOut("tasks")
            }
        }
    }
}

extension AcquireRequest {
    /// The request for a token that proves what `challenge` asks for (RFC 9470 §3); nil if it asks for no more than this.
    func meeting(_ challenge: WWWAuthenticate) -> AcquireRequest? {
        guard challenge.error == .insufficientUserAuthentication else { return nil }
        let missing = challenge.scopes.map(\.name).filter { !scopes.contains($0) }
        guard !missing.isEmpty || !challenge.acrValues.isEmpty || challenge.maxAge != nil else { return nil }
        var better = self
        better.scopes += missing
        better.acrValues = challenge.acrValues
        better.maxAge = challenge.maxAge
        return better
    }
}

/// Where the API's client gets its tokens from.
private struct TokenSource: Sendable {
    let request: AcquireRequest
    let broker: BrokerClient
    let current: CurrentAccount

    func token(_ forceRefresh: Bool) async throws -> Secret {
        var request = request
        request.forceRefresh = forceRefresh
        let token = try await broker.acquireToken(request)
        // Whoever was asked, and signed in, is the current account from now on.
        if request.account == nil { try current.set(token.account) }
        return token.accessToken
    }
}
