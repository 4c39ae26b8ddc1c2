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
            throw TablesError(.malformedAnswer, "the API answered something that is no task")
        }
        self.id = id
        self.task = task
        owner = json["owner"]?.string ?? ""
        isCompleted = json["completed"]?.bool ?? false
        created = json["creationDate"]?.string.flatMap(TableDate.milliseconds)
    }
}
