public import ArgumentParser
public import OAuth

/// A command of `tokenbroker` or `tasks`.
public protocol Command: AsyncParsableCommand {
    /// The options of every command.
    var shared: SharedOptions { get }

    /// Runs the command with the correlation id from the command line, or with a new one.
    ///
    /// - Throws: A `CommandFailure`, or an error that can be converted to one.
    func run(_ correlation: CorrelationID) async throws
}

extension Command {
    /// Runs the command, and adds the correlation id to a failure.
    public func run() async throws {
        let correlation = shared.correlation ?? CorrelationID()
        do {
            try await run(correlation)
        } catch {
            throw CommandFailure(error, correlation)
        }
    }
}

/// A command that calls the daemon.
public protocol DaemonCommand: Command {
    /// The connection options, which include the options of every command.
    var connection: ConnectionOptions { get }
}

extension DaemonCommand {
    /// The options of every command.
    public var shared: SharedOptions { connection.shared }
}
