public import ArgumentParser
public import BrokerClient
import FlowModel
import Foundation
public import OAuth

/// The options shared by all commands that call the daemon.
public struct ConnectionOptions: ParsableArguments {
    /// The path of the daemon's socket, or `nil` to try the default sockets.
    @Option(help: .text("help.shared.connectionOptions.socket", valueName: "path"), completion: .file())
    public var socket: String?
    /// The options shared by all commands.
    @OptionGroup public var shared: SharedOptions

    /// Creates options for the argument parser to fill in.
    public init() {}

    /// The daemon's sockets, in the order in which the command tries to connect to them.
    public var location: SocketLocation { SocketLocation(override: socket) }

    /// Connects to the daemon, runs `body`, and closes the connection when `body` returns or throws.
    ///
    /// `client` is the `client_id` that the program sends to the daemon, and `questions` answers the flows' prompts.
    public func withBroker<Value: Sendable>(
        _ correlation: CorrelationID,
        client: String? = nil,
        asking questions: Questions? = nil,
        _ body: (BrokerClient) async throws -> Value
    ) async throws -> Value {
        let broker = BrokerClient(
            location,
            clientID: client,
            correlationID: correlation,
            language: ScreenLanguage.tag(environment: ProcessInfo.processInfo.environment),
            handlers: ChallengeHandlers(fallback: questions),
            browsing: BrowserSign.show
        )
        do {
            let value = try await body(broker)
            await broker.close()
            for name in await questions?.unused ?? [] {
                Program.complain(Text("cli.terminal.nothingAskedForIt", ["name": PlainText.line(name)]).text)
            }
            return value
        } catch {
            await broker.close()
            throw error
        }
    }
}
