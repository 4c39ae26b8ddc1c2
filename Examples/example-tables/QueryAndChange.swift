import Foundation
import OAuth
import Tables
import TablesClient

/// A task with the columns that this program uses.
///
/// The table can have additional columns.
struct TodoItem: Codable, Sendable {
    var id: String?
    var text: String
    var complete = false
    var priority: Int?
    var due: Date?
    var version: String?
    var updatedAt: Date?
}

/// Adds, finds and changes tasks.
///
/// It reads the token from stdin:
/// `tokenbroker token tasks.read tasks.write | example-tables http://localhost:3000`.
@main struct QueryAndChange {
    static func main() async throws {
        guard let place = CommandLine.arguments.dropFirst().first, let line = readLine() else { exit(64) }
        let source: TablesClient.TokenSource = { _ in Secret(line) }
        try await TablesClient.with(try APIAddress(place), token: source) { client in
            let tasks = client.table("todoitem", of: TodoItem.self)
            let milk = try await tasks.insert(TodoItem(text: "Buy milk", priority: 1))
            try await tasks.insert(TodoItem(text: "Buy a tree", priority: 2, due: Date(timeIntervalSince1970: 1.8e9)))
            try await tasks.insert(TodoItem(text: "Sleep", priority: 3))

            let urgent = try Query().where("complete == NO AND priority < %@", 3).sort(by: "text").includeTotalCount()
            for try await page in tasks.pages(urgent) {
                print("page \(page.number), \(page.rowsSoFar) of \(page.totalCount ?? 0)")
                for task in page.rows { print("  \(task.text)") }
            }

            var mine = milk
            mine.text = "Buy oat milk"
            try await tasks.update(mine)
            print("changed: \(try await tasks.refresh(milk).text)")
            try await finish(milk, in: tasks)
        }
    }

    /// Completes a task.
    ///
    /// If another client has changed its row, completes the server's row and then deletes it.
    static func finish(_ task: TodoItem, in tasks: TypedTable<TodoItem>) async throws {
        var task = task
        task.complete = true
        do {
            try await tasks.update(task)
        } catch let error as TablesError where error.code == .preconditionFailed {
            guard var theirs = try tasks.serverRow(of: error) else { throw error }
            print("changed on the server: \(theirs.text)")
            theirs.complete = true
            let done = try await tasks.update(theirs)
            print("done: \(done.text)")
            try await tasks.delete(done)
        }
    }
}
