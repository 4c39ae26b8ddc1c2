import ArgumentParser
import Files
import Foundation
import HTTPServer
import OAuth
import ProgramConfiguration
import Storage
import StrictYAML
import TablesServer

/// The arguments of `tasksd`.
struct Tasksd: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "tasksd",
        abstract: "Serve tables of rows to whoever has a token for them.",
        discussion:
            "Exit codes: 0 ended by a signal, 1 failed, 64 usage, 75 a daemon has the database, 78 configuration.",
        version: Version.text
    )

    @Option(help: ArgumentHelp("The configuration.", valueName: "file"))
    var config: String?

    @Option(help: ArgumentHelp("Where the database is.", valueName: "folder"))
    var stateDirectory: String?

    @Flag(help: "Say every problem of the configuration, and exit.")
    var check = false

    @Flag(help: "Print the JSON Schema of the configuration, and exit.")
    var schema = false

    @Option(help: ArgumentHelp("Print the columns of a table, while no daemon runs.", valueName: "table"))
    var columns: String?

    @Option(
        help: ArgumentHelp("Drop a column that rows made, while no daemon runs.", valueName: "table.column")
    )
    var dropColumn: String?

    mutating func validate() throws {
        if [check, schema, columns != nil, dropColumn != nil].count(where: { $0 }) > 1 {
            throw ValidationError("Give one of --check, --schema, --columns and --drop-column.")
        }
    }

    mutating func run() async throws {
        if schema {
            do throws(FileError) {
                return try StandardStreams.print(TasksdShape.file.jsonSchema(title: "tasksd.yaml"))
            } catch {
                throw StartFailure(.failed, "standard output cannot be written: \(error.reason)")
            }
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
        guard let configuration else { throw StartFailure(.configuration, "the configuration has problems") }
        if check { return }
        let folder = stateDirectory ?? paths.tasksdState
        let run = ColumnsRun(configuration: configuration, directory: folder)
        do {
            if let columns { return try await run.list(columns) }
            if let dropColumn { return try await run.drop(dropColumn) }
            let directory = try StateDirectory(folder)
            let wiring = Wiring(configuration: configuration, warnings: problems, directory: directory, files: files)
            try await wiring.run()
        } catch let error as ListenError {
            throw StartFailure(.configuration, error.description)
        } catch let error as StoreError where error.code == .damagedLog {
            let hint = "put a copy of the database back, or give the log up as docs/operations.md says"
            throw StartFailure(.configuration, "\(error.description); \(hint)")
        } catch let error as StoreError where error.code == .olderSchema {
            let hint = "to begin anew, move it out of the state directory"
            throw StartFailure(.configuration, "\(error.description); \(hint)")
        } catch let error as StoreError {
            throw StartFailure(.configuration, error.description)
        }
    }
}

/// The source of the configuration, read at the start and again at SIGHUP.
struct ConfigurationSource: Sendable {
    /// The file that was named; nil for the usual place, or the embedded defaults where none is there.
    let path: String?
    let paths: ProgramPaths

    /// The configuration, unless a problem is an error, and all problems.
    func read() -> (TasksdConfiguration?, [Problem]) {
        TasksdConfiguration.load(configuration: path, paths: paths)
    }
}
