import OAuth
public import Tables

extension TablesClient {
    /// The caller's tasks, oldest first, by `/api/tasks`.
    public func tasks() async throws -> [TaskItem] {
        try await TablePages(client: self, segments: ["api", "tasks"], query: Query()) { json throws(TablesError) in
            try TaskItem(json: json)
        }.all()
    }

    /// Adds a task.
    @discardableResult
    public func addTask(_ text: String) async throws -> TaskItem {
        try await send(.post, ["api", "tasks"], body: JSONValue.object(["task": .string(text)]).bytes).read(
            TaskItem.init(json:)
        )
    }

    /// Deletes the task of that id.
    public func deleteTask(_ id: RowID) async throws {
        try await send(.delete, ["api", "tasks", id.text]).requireDeletion()
    }

    /// Deletes the caller's task of exactly that text; several of them are ``TablesError/Code/conflict``.
    public func deleteTask(text: String) async throws {
        try await send(.delete, ["api", "tasks"], body: JSONValue.object(["task": .string(text)]).bytes)
            .requireDeletion()
    }
}
