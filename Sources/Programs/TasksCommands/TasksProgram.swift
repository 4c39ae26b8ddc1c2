import Terminal

/// `tasks`, the task list.
public enum TasksProgram {
    /// Prepares the process, before it has a second thread.
    public static func prepare() { Program.prepare() }

    /// Runs the command that the arguments name, and ends the process.
    public static func run() async -> Never {
        await Program.run(TasksCommand.self)
    }
}
