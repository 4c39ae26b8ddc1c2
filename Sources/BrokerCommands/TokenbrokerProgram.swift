import Terminal

/// The commands of `tokenbroker`.
public enum TokenbrokerProgram {
    /// Runs the command that the arguments name, and ends the process.
    public static func run() async -> Never {
        await Program.run(TokenbrokerCommand.self)
    }
}
