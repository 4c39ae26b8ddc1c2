public import ArgumentParser
public import BrokerClient
import FlowModel
import Foundation
public import OAuth

/// Options of every command that talks to the daemon.
public struct ConnectionOptions: ParsableArguments {
    /// The socket's path.
    @Option(help: .text("help.shared.connectionOptions.socket"), completion: .file()) public var socket: String?
    /// Options of every command.
    @OptionGroup public var shared: SharedOptions

    /// As the command line says.
    public init() {}

    /// The sockets to try, in this order.
    public var location: SocketLocation { SocketLocation(override: socket) }

    /// Talks to the daemon, and ends the connection whatever happens.
    ///
    /// - Parameters:
    ///   - correlation: What ties the calls to logs and audit.
    ///   - client: What the program calls itself to the daemon.
    ///   - questions: Who answers the steps of flows.
    ///   - body: What is said.
    /// - Returns: What the body returns.
    /// - Throws: What the body throws.
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
