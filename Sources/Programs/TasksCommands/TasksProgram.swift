import Terminal

/// The entry point of `tasks`, the task list program.
public enum TasksProgram {
    /// Prepares the process before a second thread starts.
    public static func prepare() { Program.prepare() }

    /// Runs the command that the arguments specify, and ends the process.
    public static func run() async -> Never {
        await Program.run(TasksCommand.self)
    }
}
