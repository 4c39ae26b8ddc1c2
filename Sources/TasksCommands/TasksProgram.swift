import Terminal

/// `tasks`, the task list.
public enum TasksProgram {
    /// Runs the command that the arguments name, and ends the process.
    public static func run() async -> Never {
        await Program.run(TasksCommand.self)
    }
}
