import NIOHTTP1
import OAuth
public import Tables

extension TablesClient {
    /// The caller's tasks, oldest first, by `/api/tasks`.
    public func tasks() async throws -> [TaskItem] {
        var tasks: [TaskItem] = []
        try await pages(["api", "tasks"]) { answer in
            tasks += try answer.list(TaskItem.init(json:))
        }
        return tasks
    }

    /// Adds a task.
    @discardableResult
    public func addTask(_ text: String) async throws -> TaskItem {
        try await send(.POST, ["api", "tasks"], body: ["task": .string(text)]).read(TaskItem.init(json:))
    }

    /// Deletes the task of that id.
    public func deleteTask(_ id: RowID) async throws {
        _ = try await send(.DELETE, ["api", "tasks", id.text])
    }

    /// Deletes the caller's task of exactly that text; several of them are ``TablesError/Code/conflict``.
    public func deleteTask(text: String) async throws {
        _ = try await send(.DELETE, ["api", "tasks"], body: ["task": .string(text)])
    }
}
