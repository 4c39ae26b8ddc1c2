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

/// Access to an account's tasks in the local copy and in the API.
struct TasksSession: Sendable {
    let table: SyncTable
    let remote: RemoteTable
    /// The reason why the API could not be used, or `nil` if the API was used or was not needed.
    var unreached: CommandFailure?
    var isOnline: Bool
    let correlation: CorrelationID

    var context: SyncContext { table.context }

    /// Returns the tasks that match a query, and asks the API only if the local tasks are not sufficient.
    func found(_ query: Query) async throws -> FoundTasks {
        if query.includesDeleted || !query.parameters.isEmpty { return try await foundRemotely(query) }
        do {
            try checkSelection(query)
            let page = try await table.read(query)
            if page.rows.isEmpty, let unreached, try await isUntouched() { throw unreached }
            let marks = try await SyncMarks(context)
            return FoundTasks(items: page.rows.map { TodoItem(row: $0, marks: marks) }, count: page.totalCount)
        } catch let problem as QueryProblem {
            // The query may contain a column that the API has and the local table lacks.
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

    /// Adds a task, with a random id if `id` is `nil`.
    ///
    /// Random ids differ in their first characters, so a short prefix is enough to identify a task.
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

    /// Restores deleted tasks, by removing deletions that are still pending or else through the API.
    func restore(_ ids: [String]) async throws -> [TodoItem] {
        let waiting = try await context.pendingOperations().filter { $0.kind == .delete }
        let kept = waiting.compactMap { $0.item.map { TodoItem(row: $0) } }
        var items: [TodoItem] = []
        for id in ids {
            if kept.contains(where: { UniquePrefix.matches($0.id, id) }) {
                items.append(try UniquePrefix.find(id, among: kept, .deletedTask) { [$0.id] })
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

    /// Returns the local tasks with the given ids or id prefixes, without duplicates.
    func find(_ ids: [String]) async throws -> [TodoItem] {
        let items = try await found(Query()).items
        var found: [TodoItem] = []
        for id in ids {
            let item = try UniquePrefix.find(id, among: items, .task) { [$0.id] }
            if !found.contains(where: { $0.row.id == item.row.id }) { found.append(item) }
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

    private func hasPulled() async throws -> Bool {
        try await context.store.read { [name = table.name] store in
            try store.setting(.deltaToken, Sync.queryID, of: name) != nil
        }
    }

    /// Whether no tasks have been fetched from the API yet and the local table is empty.
    private func isUntouched() async throws -> Bool {
        guard try await !hasPulled() else { return false }
        return try await table.read().rows.isEmpty
    }
}
