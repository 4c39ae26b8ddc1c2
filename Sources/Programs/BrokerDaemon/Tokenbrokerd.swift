import ArgumentParser
import Files
import ProgramConfiguration
import StrictYAML

/// The arguments of the daemon.
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

    @Flag(
        help: """
            Keep what is readable of a store whose write-ahead log is damaged, with every session ended and attempts spent, \
            and end; no daemon may run.
            """
    )
    var acceptDamage = false

    func validate() throws {
        if [check, schema, restore != nil, acceptDamage].count(where: { $0 }) > 1 {
            throw ValidationError("Give one of --check, --schema, --restore and --accept-damage.")
        }
    }

    private static func print(_ text: String) throws {
        do throws(FileError) {
            try StandardStreams.print(text)
        } catch {
            throw StartFailure("standard output cannot be written: \(error.reason)", status: .failed)
        }
    }

    func run() async throws {
        if schema { return try Self.print(BrokerShape.file.jsonSchema(title: "tokenbrokerd.yaml")) }
        let start = Start(config: config, policies: policies, stateDirectory: stateDirectory, socket: socket)
        if let restore { return try await start.restore(from: restore) }
        if acceptDamage { return try await start.acceptDamage() }
        if check { try start.check() } else { try await start.run() }
    }
}
