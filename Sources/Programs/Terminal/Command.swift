public import ArgumentParser
public import OAuth

/// A command of `tokenbroker` or `tasks`.
public protocol Command: AsyncParsableCommand {
    /// The options shared by all commands.
    var shared: SharedOptions { get }

    /// Runs the command, or throws a `CommandFailure` or an error that can be converted to one.
    ///
    /// `correlation` is the id from the command line or, if there is none, a new id.
    func run(_ correlation: CorrelationID) async throws
}

extension Command {
    /// Runs the command, and adds the correlation id to any error that the command throws.
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
    /// The connection options, which include the options shared by all commands.
    var connection: ConnectionOptions { get }
}

extension DaemonCommand {
    /// The options shared by all commands.
    public var shared: SharedOptions { connection.shared }
}
