import BrokerAPI
import BrokerClient
import FlowModel
import Foundation
import OAuth
import OfflineTables
import ProgramConfiguration
import Tables
import TablesClient
import Terminal

/// Access to an account's tasks: the local copy and the API.
struct TasksSession: Sendable {
    /// The table of local tasks.
    let table: SyncTable
    /// The table at the API.
    let remote: RemoteTable
    /// The reason why the API could not be used, or `nil` if it was used or not needed.
    var unreached: CommandFailure?
    /// Whether the API may be used.
    var isOnline: Bool
    /// The correlation id, which also appears in the logs of both daemons.
    let correlation: CorrelationID

    var context: SyncContext { table.context }

    /// Returns the local tasks that match a query.
    ///
    /// The API is used only for data that is not stored locally.
    func found(_ query: Query) async throws -> FoundTasks {
        if query.includesDeleted || !query.parameters.isEmpty { return try await foundRemotely(query) }
        do {
            try checkSelection(query)
            let page = try await table.read(query)
            if page.rows.isEmpty, let unreached, try await isUntouched() { throw unreached }
            let marks = try await SyncMarks(context)
            return FoundTasks(items: page.rows.map { TodoItem(row: $0, marks: marks) }, count: page.totalCount)
        } catch let problem as QueryProblem {
            // The query could use a column that only the API has.
            if isOnline, unreached == nil { return try await foundRemotely(query) }
            var failure = CommandFailure(.failed, "refused", Text(problem.said))
            failure.facts["status"] = 400
            throw failure
        }
    }

    private func checkSelection(_ query: Query) throws(QueryProblem) {
        let names = Set(table.declaration.columns.map { $0.name.lowercased() }).union(TableDeclaration.systemColumns)
        for name in query.selection where !names.contains(name.lowercased()) {
            throw QueryProblem(.unknownColumn(name, nearest: nil), option: "$select")
        }
    }

    private func foundRemotely(_ query: Query) async throws -> FoundTasks {
        try requireAPI(Text("failure.notKeptHere"))
        var items: [TodoItem] = []
        var count: Int?
        for try await page in remote.pages(query) {
            items += page.rows.map { TodoItem(row: $0) }
            count = page.totalCount
        }
        return FoundTasks(items: items, count: count)
    }

    /// Adds a task.
    ///
    /// An id that is created here is random from its first digit, so a short prefix identifies the task.
    func add(_ values: [String: TableValue], id: RowID?) async throws -> TodoItem {
        do {
            return TodoItem(row: try await table.insert(values, id: id ?? .random()))
        } catch let error as SyncError where error.code == .syncActionInvalid {
            let row = if let id { try await table.read(id: id) } else { RemoteRow?.none }
            var failure = CommandFailure(.failed, "conflict", Text("cli.tasks.taskExists", ["id": id?.text ?? ""]))
            failure.facts["status"] = 409
            failure.facts["row"] = row?.json
            throw failure
        }
    }

    func change(_ item: TodoItem, _ values: [String: TableValue]) async throws -> TodoItem {
        TodoItem(row: try await table.update(item.row.id, values))
    }

    func delete(_ item: TodoItem) async throws { try await table.delete(item.row.id) }

    /// Restores deleted tasks.
    ///
    /// If the deletion is still pending, it is removed from the queue. Otherwise, the API restores the task.
    func restore(_ ids: [String]) async throws -> [TodoItem] {
        let waiting = try await context.pendingOperations().filter { $0.kind == .delete }
        let kept = waiting.compactMap { $0.item.map { TodoItem(row: $0) } }
        var items: [TodoItem] = []
        for id in ids {
            if let item = try? UniquePrefix.find(id, among: kept, .deletedTask, names: { [$0.id] }) {
                items.append(item)
            } else {
                try requireAPI(Text("failure.noWaitingDeletion", ["ids": id]))
                let all = try await foundRemotely(Query().includeDeleted()).items.filter(\.row.isDeleted)
                items.append(try UniquePrefix.find(id, among: all, .deletedTask) { [$0.id] })
            }
        }
        var restored: [TodoItem] = []
        for item in items { restored.append(TodoItem(row: try await table.undelete(item.row.id))) }
        return restored
    }

    /// Returns the local tasks with these ids or id prefixes, each once.
    func find(_ ids: [String]) async throws -> [TodoItem] {
        let items = try await found(Query()).items
        var found: [TodoItem] = []
        for id in ids {
            let item = try UniquePrefix.find(id, among: items, .task) { [$0.id] }
            if !found.contains(where: { $0.id == item.id }) { found.append(item) }
        }
        return found
    }

    private func requireAPI(_ why: Text) throws(CommandFailure) {
        if let unreached { throw unreached }
        guard !isOnline else { return }
        throw CommandFailure(.unreachable, "offline", why, hint: Text("failure.askOnline"))
    }

    /// Returns why no tasks have been fetched from the API yet, or `nil` if tasks have been fetched.
    func neverPulled() async throws -> CommandFailure? {
        if isOnline, unreached == nil { return nil }
        if try await hasPulled() { return nil }
        return unreached
            ?? CommandFailure(
                .unreachable,
                "offline",
                Text("failure.neverFetched"),
                hint: Text("failure.runOnline")
            )
    }

    /// Whether tasks have ever been fetched from the API.
    private func hasPulled() async throws -> Bool {
        try await context.store.read { [name = table.name] store in
            try store.setting(.deltaToken, Sync.queryID, of: name) != nil
        }
    }

    /// Whether no task has ever been fetched or added locally.
    private func isUntouched() async throws -> Bool {
        guard try await !hasPulled() else { return false }
        return try await table.read().rows.isEmpty
    }
}
