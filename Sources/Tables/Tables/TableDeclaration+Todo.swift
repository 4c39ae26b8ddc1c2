extension TableDeclaration {
    /// The table that exists where nothing is configured: the tasks of each person.
    public static func todoitem() throws(TableProblem) -> TableDeclaration {
        var text = TableColumn("text", .string)
        text.isRequired = true
        text.maxLength = 4096
        var complete = TableColumn("complete", .boolean)
        complete.defaultValue = .boolean(false)
        var priority = TableColumn("priority", .number)
        priority.allowed = [.number(1), .number(2), .number(3)]
        var table = try TableDeclaration(
            "todoitem",
            columns: [
                text, complete, TableColumn("duration", .number), TableColumn("due", .date),
                TableColumn("notes", .string),
                TableColumn("tags", .string), priority,
            ]
        )
        table.readScope = "tasks.read"
        table.writeScope = "tasks.write"
        return table
    }
}
