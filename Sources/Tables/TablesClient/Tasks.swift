import OAuth
public import Tables

/// A task as `/api/tasks` shows it.
public struct TaskItem: Hashable, Sendable {
    /// The id.
    public let id: RowID
    /// The text.
    public let task: String
    /// The owner.
    public let owner: String
    /// It is done.
    public let isCompleted: Bool
    /// The time at which it was added, in milliseconds since 1970 UTC.
    public let created: Int64?

    init(json: JSONValue) throws(TablesError) {
        guard let text = json["id"]?.string, let id = RowID(text), let task = json["task"]?.string else {
            throw TablesError(.malformedAnswer, .notATask)
        }
        self.id = id
        self.task = task
        owner = json["owner"]?.string ?? ""
        isCompleted = json["completed"]?.bool ?? false
        created = json["creationDate"]?.string.flatMap(TableDate.milliseconds)
    }
}

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
