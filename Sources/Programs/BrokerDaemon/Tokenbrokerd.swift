import ArgumentParser
import ProgramConfiguration
import StrictYAML

struct Tokenbrokerd: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "tokenbrokerd",
        abstract: "Run the token broker: an OAuth authority over HTTP and a local token service over a Unix socket.",
        discussion: """
            The system service uses /etc/tokenbroker, /var/lib/tokenbroker and /run/tokenbroker. A per-user daemon uses \
            ~/.config/tokenbroker, ~/.local/state/tokenbroker and $XDG_RUNTIME_DIR/tokenbroker.

            ENVIRONMENT:
              TOKENBROKER_SOCKET               Socket that programs connect to
              TOKENBROKER_AUTHORITY_KEY_FILE   File that contains the authority key
              TOKENBROKER_CACHE_KEY_FILE       File that contains the cache key

            EXIT CODES:
              0 stopped by a signal or finished, 1 failure, 64 usage error,
              75 temporary failure, 78 configuration error

            EXAMPLES:
              tokenbrokerd
              tokenbrokerd --check
              tokenbrokerd --config tokenbrokerd.yaml --state-directory state
              tokenbrokerd --restore authority.backup
            """,
        version: Version.text
    )

    @Option(
        help: ArgumentHelp(
            "Configuration file. Default: tokenbrokerd.yaml in the configuration folder.",
            valueName: "file"
        ),
        completion: .file()
    )
    var config: String?

    @Option(
        help: ArgumentHelp(
            "Policy folder. Its policies replace the configured or shipped policies.",
            valueName: "folder"
        ),
        completion: .directory
    )
    var policies: String?

    @Option(
        help: ArgumentHelp(
            "Folder that holds the databases and keys. Only the owner of the folder may have access to it.",
            valueName: "folder"
        ),
        completion: .directory
    )
    var stateDirectory: String?

    @Option(
        help: ArgumentHelp(
            "Socket that programs connect to. The daemon creates authority.sock next to it.",
            valueName: "path"
        )
    )
    var socket: String?

    @Flag(help: "Check configuration and policies, print every problem as FILE:LINE: PROBLEM, and exit.")
    var check = false

    @Flag(help: "Print the JSON Schema of the configuration file, and exit.")
    var schema = false

    @Option(
        help: ArgumentHelp(
            "Restore the authority's database from a backup, end all sessions, and exit. Stop the daemon first.",
            valueName: "file"
        ),
        completion: .file()
    )
    var restore: String?

    @Flag(
        help: """
            Recover the readable part of databases whose write-ahead log is damaged, end all sessions, count all sign-in \
            attempts as used, and exit. Stop the daemon first.
            """
    )
    var acceptDamage = false

    func validate() throws {
        if [check, schema, restore != nil, acceptDamage].count(where: { $0 }) > 1 {
            throw ValidationError("Use only one of --check, --schema, --restore and --accept-damage.")
        }
    }

    func run() async throws {
        if schema { return try printLine(BrokerShape.file.jsonSchema(title: "tokenbrokerd.yaml")) }
        let start = Start(config: config, policies: policies, stateDirectory: stateDirectory, socket: socket)
        if let restore { return try await start.restore(from: restore) }
        if acceptDamage { return try await start.acceptDamage() }
        if check { return try printLine(try start.check().text) }
        try await start.run()
    }
}
