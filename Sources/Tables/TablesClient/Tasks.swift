import OAuth
public import Tables

/// A task as `/api/tasks` returns it.
public struct TaskItem: Hashable, Sendable {
    /// The task's id.
    public let id: RowID
    /// The description of the task.
    public let task: String
    /// The id of the user who owns the task.
    public let owner: String
    /// Whether the task is completed.
    public let isCompleted: Bool
    /// The time of the insert, in milliseconds since 1970 UTC, or `nil` if the response does not contain it.
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
    /// Requests the user's tasks from `/api/tasks`, oldest first.
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

    /// Deletes a task by id.
    public func deleteTask(_ id: RowID) async throws {
        try await send(.delete, ["api", "tasks", id.text]).requireDeletion()
    }

    /// Deletes the task with exactly this description, or throws ``TablesError/Code/conflict`` if several tasks match.
    public func deleteTask(text: String) async throws {
        try await send(.delete, ["api", "tasks"], body: JSONValue.object(["task": .string(text)]).bytes)
            .requireDeletion()
    }
}
