public import ArgumentParser
public import OAuth

/// A command of one of the two programs.
public protocol Command: AsyncParsableCommand {
    /// Options of every command.
    var shared: SharedOptions { get }

    /// Does it; the correlation id is the given one, or new.
    ///
    /// - Throws: A `CommandFailure`, or an error that becomes one.
    func run(_ correlation: CorrelationID) async throws
}

extension Command {
    /// Runs with a correlation id that a failure then names.
    public func run() async throws {
        let correlation = shared.correlation ?? CorrelationID()
        do {
            try await run(correlation)
        } catch {
            throw CommandFailure(error, correlation)
        }
    }
}

/// A command that talks to the daemon.
public protocol DaemonCommand: Command {
    /// The way to the daemon, with the options of every command behind it.
    var connection: ConnectionOptions { get }
}

extension DaemonCommand {
    /// Options of every command.
    public var shared: SharedOptions { connection.shared }
}
