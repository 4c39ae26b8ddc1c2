import ArgumentParser

/// The entry point of `tasksd`, the tasks API.
public enum TasksdProgram {
    /// Runs the program, and prints a failure as one sentence on standard error.
    public static func run() async {
        do {
            var command = try Tasksd.parseAsRoot()
            if var command = command as? any AsyncParsableCommand { try await command.run() } else { try command.run() }
        } catch let failure as StartFailure {
            failure.end()
        } catch {
            guard Tasksd.exitCode(for: error) != .success else { Tasksd.exit(withError: error) }
            StartFailure(.usage, Tasksd.message(for: error)).end()
        }
    }
}
