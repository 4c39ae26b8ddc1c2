import ArgumentParser
import Foundation
import Glibc
import HTTPServer
import Logging
import Metrics
import ProgramConfiguration
import ServiceHost
import StrictYAML
import Systemd

/// The daemon: its arguments, and in what order it starts.
@main
struct Tokenbrokerd: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "tokenbrokerd",
        abstract: "The token broker: an authority over HTTP and a broker over a Unix socket.",
        version: Version.text
    )

    @Option(help: ArgumentHelp("The configuration file.", valueName: "file"), completion: .file())
    var config: String?

    @Option(
        help: ArgumentHelp("The folder of policies; it replaces the shipped ones.", valueName: "folder"),
        completion: .directory
    )
    var policies: String?

    @Option(
        help: ArgumentHelp("Where databases and keys are kept; nobody else may look into it.", valueName: "folder"),
        completion: .directory
    )
    var stateDirectory: String?

    @Option(help: ArgumentHelp("The broker's socket; authority.sock stands beside it.", valueName: "path"))
    var socket: String?

    @Flag(help: "Check configuration and policies, print every problem as file:line: what, and end.")
    var check = false

    @Flag(help: "Print the JSON Schema of the configuration file, and end.")
    var schema = false

    /// Ends the process with the exit status that the failure stands for.
    static func main() async {
        do {
            var command = try parseAsRoot()
            if var command = command as? any AsyncParsableCommand { try await command.run() } else { try command.run() }
        } catch let failure as StartFailure {
            failure.report()
            Foundation.exit(failure.status)
        } catch {
            // Of ArgumentParser: usage, help, version, completion scripts.
            exit(withError: error)
        }
    }

    func validate() throws {
        if check, schema { throw ValidationError("Give either --check or --schema.") }
    }

    func run() async throws {
        if schema { return print(BrokerShape.file.jsonSchema(title: "tokenbrokerd.yaml")) }
        let places = Places(environment: ProcessInfo.processInfo.environment, effectiveUID: geteuid())
        let source = SettingsSource(configuration: config, policies: policies, places: places)
        if check { return try source.check() }
        try denyDumps()
        ProcessMemory.returnLargeBlocks()
        // A write beyond the limit for files (setrlimit(2)) is refused like one to a full disk, and ends nothing.
        signal(SIGXFSZ, SIG_IGN)
        // Every file that is made from here on is the daemon's alone.
        umask(0o077)
        let settings = try source.load()
        let log = ServiceLog(format: settings.logFormat, level: settings.logLevel)
        let metrics = PrometheusRegistry()
        MetricsSystem.bootstrap(metrics)
        let daemon = try await Wiring(
            source: source,
            current: CurrentSettings(settings),
            places: places,
            stateDirectory: stateDirectory ?? places.brokerState,
            socket: socket ?? places.socket,
            log: log,
            metrics: metrics
        ).daemon()
        try await daemon.run()
    }

    private func denyDumps() throws {
        do {
            try ProcessMemory.denyDumps()
        } catch {
            throw StartFailure("core dumps cannot be switched off: \(error)", status: .failed)
        }
    }
}
