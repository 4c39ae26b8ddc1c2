import Terminal

/// The commands of `tokenbroker`.
public enum TokenbrokerProgram {
    /// Prepares the process, before it has a second thread.
    public static func prepare() { Program.prepare() }

    /// Runs the command that the arguments name, and ends the process.
    public static func run() async -> Never {
        await Program.run(TokenbrokerCommand.self)
    }
}
