import ArgumentParser
import Dispatch
import Files
import FlowModel
import Foundation
import Glibc
import Systemd

/// Parses a command line, runs the command, reports errors and exits.
public enum Program {
    /// Prepares the process for a command and must be called before the process starts a second thread.
    public static func prepare() { ProcessMemory.growQuickly() }

    /// Runs the command and exits.
    ///
    /// The first Ctrl-C or SIGTERM cancels the command, and the second ends the program.
    public static func run<Root: RootCommand>(_: Root.Type) async -> Never {
        let typed = Array(CommandLine.arguments.dropFirst())
        let arguments = typed == ["--version"] ? typed : Root.movingGlobalOptions(typed)
        // The process handles passwords and tokens, which a core dump would contain.
        do {
            try ProcessMemory.denyDumps()
        } catch {
            complain(Text("failure.warning", ["text": Text("failure.coreDumps", ["reason": "\(error)"])]).text)
        }
        do {
            // The argument parser is too slow for `--version`, because it finds the options by reflection.
            if arguments == ["--version"] {
                try Output.exactly(Root.version)
                exit(ExitStatus.done.rawValue)
            }
            let path = CommandPath(arguments, of: Root.self)
            if let problem = path.problem { throw problem }
            try await interruptible {
                var command = try parse(arguments, path, Root.self)
                if var command = command as? any AsyncParsableCommand {
                    try await command.run()
                } else {
                    try command.run()
                }
            }
        } catch {
            let asJSON = arguments.prefix { $0 != "--" }.contains("--json")
            let failure = failure(error, CommandPath(arguments, of: Root.self), Root.self)
            if let failure { complain(failure.text(program: name(Root.self), asJSON: asJSON)) }
            exit((failure?.status ?? .done).rawValue)
        }
        exit(ExitStatus.done.rawValue)
    }

    /// Writes text to standard error, wrapped to the terminal's width unless the text is JSON.
    public static func complain(_ text: String) {
        let width = text.hasPrefix("{") ? nil : Output.width(of: STDERR_FILENO)
        let text = TextTable.paragraphs(text, width: width)
        try? FileHandle.standardError.write(contentsOf: Data((text + "\n").utf8))
    }

    /// Writes a progress message to standard error if standard error is a terminal.
    public static func note(_ text: String) {
        if isatty(STDERR_FILENO) == 1 { complain(text) }
    }

    /// Parses a command line with the parser of its subcommand, because the root command's parser is slow.
    ///
    /// The root command's parser is used for help and for invalid command lines, because only its output contains the
    /// subcommand's full name.
    private static func parse<Root: RootCommand>(
        _ arguments: [String],
        _ path: CommandPath,
        _: Root.Type
    ) throws -> any ParsableCommand {
        if path.command.configuration.subcommands.isEmpty {
            let rest = Array(arguments.dropFirst(path.words.count - 1))
            // If the user requests help, the parser returns a command of another type.
            if let command = try? path.command.parseAsRoot(rest), type(of: command) == path.command { return command }
        }
        return try Root.parseAsRoot(arguments)
    }

    private static func name(_ root: any ParsableCommand.Type) -> String {
        root.configuration.commandName ?? "tokenbroker"
    }

    /// Converts an error to a failure, or prints the requested help, version or completion script and returns `nil`.
    private static func failure<Root: RootCommand>(
        _ error: any Error,
        _ path: CommandPath,
        _: Root.Type
    ) -> CommandFailure? {
        if let error = error as? CommandFailure { return error }
        guard Root.exitCode(for: error) == .success else {
            return .usage(
                Text(exactly: UsageText.text(Root.message(for: error), in: ScreenLanguage.current)),
                hint: path.hint
            )
        }
        do throws(CommandFailure) {
            try Output.exactly(HelpScreen.text(Root.self, for: error))
            return nil
        } catch {
            return error
        }
    }

    private static func interruptible(_ body: @escaping @Sendable () async throws -> Void) async throws {
        let task = Task { try await body() }
        let sources = [SIGINT, SIGTERM].map { number in
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number)
            source.setEventHandler {
                if task.isCancelled { exit(ExitStatus.denied.rawValue) }
                task.cancel()
            }
            source.activate()
            return source
        }
        defer { for source in sources { source.cancel() } }
        try await task.value
    }
}
