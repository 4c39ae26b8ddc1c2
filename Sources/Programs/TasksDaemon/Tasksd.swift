import ArgumentParser
import Foundation
import HTTPServer
import OAuth
import ProgramConfiguration
import Storage
import StrictYAML
import Systemd
import TablesServer

struct Tasksd: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "tasksd",
        abstract: "Run the tasks API, an OAuth-protected table service.",
        discussion: """
            The system service uses /etc/tokenbroker/tasksd.yaml and /var/lib/tasksd. A per-user daemon uses \
            ~/.config/tokenbroker/tasksd.yaml and ~/.local/state/tasksd.

            ENVIRONMENT:
              TOKENBROKER_SOCKET   Socket of the broker. The authority's socket is next to it.

            EXIT CODES:
              0 stopped by a signal or finished, 1 failure, 64 usage error,
              75 another process uses the database, 78 configuration error

            EXAMPLES:
              tasksd
              tasksd --check
              tasksd --config tasksd.yaml --state-directory state
              tasksd --columns todoitem
            """,
        version: Version.text
    )

    @Option(
        help: ArgumentHelp("Configuration file. Default: tasksd.yaml in the configuration folder.", valueName: "file")
    )
    var config: String?

    @Option(
        help: ArgumentHelp(
            "Folder that holds the database. Only the owner of the folder may have access to it.",
            valueName: "folder"
        )
    )
    var stateDirectory: String?

    @Flag(help: "Check the configuration, print every problem as FILE:LINE: PROBLEM, and exit.")
    var check = false

    @Flag(help: "Print the JSON Schema of the configuration file, and exit.")
    var schema = false

    @Option(help: ArgumentHelp("Print the columns of a table, and exit. Stop the daemon first.", valueName: "table"))
    var columns: String?

    @Option(
        help: ArgumentHelp(
            "Drop a column that was added when rows were written, including its values, and exit. Stop the daemon first.",
            valueName: "table.column"
        )
    )
    var dropColumn: String?

    mutating func validate() throws {
        if [check, schema, columns != nil, dropColumn != nil].count(where: { $0 }) > 1 {
            throw ValidationError("Use only one of --check, --schema, --columns and --drop-column.")
        }
    }

    mutating func run() async throws {
        if schema {
            return try printLine(TasksdShape.file.jsonSchema(title: "tasksd.yaml"))
        }
        let paths = ProgramPaths(environment: ProcessInfo.processInfo.environment, effectiveUID: geteuid())
        let files = ConfigurationSource(path: config, paths: paths)
        let (configuration, found) = files.read()
        var problems = found
        if check, let configuration { problems += FileAgreement.problems(of: configuration, paths: paths) }
        if check || configuration == nil {
            for problem in problems {
                let line = PlainText.line("\(problem)") + "\n"
                try? FileHandle.standardError.write(contentsOf: Data(line.utf8))
            }
        }
        guard let configuration else {
            throw StartFailure(.configuration, "The configuration has problems. Fix them and start again.")
        }
        if check {
            let usual = BrokerFiles.exists(paths.tasksdConfiguration) ? paths.tasksdConfiguration : nil
            let line = CheckLine(
                file: config ?? usual,
                parts: [CheckLine.count(configuration.tables.count, "table", "tables")],
                warnings: problems.count
            )
            return try printLine(line.text)
        }
        let folder = stateDirectory ?? paths.tasksdState
        let run = ColumnsRun(configuration: configuration, directory: folder)
        do {
            if let columns { return try await run.list(columns) }
            if let dropColumn { return try await run.drop(dropColumn) }
            do {
                try ProcessMemory.denyDumps()
            } catch {
                throw StartFailure(.failed, "Core dumps cannot be disabled: \(error)")
            }
            let directory = try StateDirectory(folder)
            let wiring = Wiring(configuration: configuration, warnings: problems, directory: directory, files: files)
            try await wiring.run()
        } catch let error as ListenError {
            throw StartFailure(.configuration, error.description)
        } catch let error as UnusableCertificate {
            throw StartFailure(.configuration, error.description)
        } catch let error as StoreError where error.code == .damagedLog {
            let hint = "Restore the database from a backup, or discard the log as docs/operations.md describes."
            throw StartFailure(.configuration, "\(error.description) \(hint)")
        } catch let error as StoreError where error.code == .olderSchema {
            let hint = "To start with an empty database, move it out of the state directory."
            throw StartFailure(.configuration, "\(error.description) \(hint)")
        } catch let error as StoreError where [.full, .busy].contains(error.code) {
            throw StartFailure(.tryLater, error.description)
        } catch let error as StoreError {
            throw StartFailure(.configuration, error.description)
        }
    }
}

/// Reads the configuration at startup and again on SIGHUP.
struct ConfigurationSource: Sendable {
    /// The path from the command line, or `nil` for the default path, where a missing file means the built-in defaults.
    let path: String?
    let paths: ProgramPaths

    /// Returns the configuration and the problems found in it.
    ///
    /// The configuration is `nil` if any of the problems is an error.
    func read() -> (TasksdConfiguration?, [Problem]) {
        TasksdConfiguration.load(configuration: path, paths: paths)
    }
}
