extension TableDefinition {
    /// The table that exists where nothing is configured: the tasks of each person.
    public static func todoitem() throws(TableProblem) -> TableDefinition {
        var text = Column("text", .string)
        text.isRequired = true
        text.maxLength = 4096
        var complete = Column("complete", .boolean)
        complete.defaultValue = .boolean(false)
        var priority = Column("priority", .number)
        priority.allowed = [.number(1), .number(2), .number(3)]
        var table = try TableDefinition(
            "todoitem",
            columns: [
                text, complete, Column("duration", .number), Column("due", .date), Column("notes", .string),
                Column("tags", .string), priority,
            ]
        )
        table.readScope = "tasks.read"
        table.writeScope = "tasks.write"
        return table
    }
}
