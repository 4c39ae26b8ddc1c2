import Terminal

/// The entry point of `tokenbroker`.
public enum TokenbrokerProgram {
    /// Prepares the process, before a second thread starts.
    public static func prepare() { Program.prepare() }

    /// Runs the command that the command-line arguments specify, and ends the process.
    public static func run() async -> Never {
        await Program.run(TokenbrokerCommand.self)
    }
}
