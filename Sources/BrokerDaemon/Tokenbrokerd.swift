import ArgumentParser
import Foundation
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

    @Option(
        help: ArgumentHelp(
            "Make this backup the authority's store, with every session ended, and end; no daemon may run.",
            valueName: "file"
        ),
        completion: .file()
    )
    var restore: String?

    /// Ends the process with the exit status that the failure stands for.
    static func main() async {
        // First of all, because nothing has made a thread yet.
        ProcessMemory.spareMemory()
        do {
            if let start = Start(plain: CommandLine.arguments.dropFirst()) { return try await start.run() }
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
        if [check, schema, restore != nil].count(where: { $0 }) > 1 {
            throw ValidationError("Give one of --check, --schema and --restore.")
        }
    }

    func run() async throws {
        if schema { return print(BrokerShape.file.jsonSchema(title: "tokenbrokerd.yaml")) }
        var start = Start()
        start.config = config
        start.policies = policies
        start.stateDirectory = stateDirectory
        start.socket = socket
        if let restore { return try await start.restore(from: restore) }
        if check { try start.check() } else { try await start.run() }
    }
}
