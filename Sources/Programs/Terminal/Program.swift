import ArgumentParser
import Dispatch
import Files
import FlowModel
import Foundation
import Glibc
import Systemd

/// Runs a command line to its end: parse, run, say what went wrong, exit.
public enum Program {
    /// Prepares the process for a command, before it has a second thread.
    public static func prepare() { ProcessMemory.growQuickly() }

    /// Runs the command that the arguments name, and exits.
    ///
    /// Ctrl-C and SIGTERM cancel the command, which ends its flow; the second one ends the program.
    public static func run<Root: RootCommand>(_: Root.Type) async -> Never {
        let arguments = Array(CommandLine.arguments.dropFirst())
        // Passwords and tokens pass through here; they do not end in a core file.
        do {
            try ProcessMemory.denyDumps()
        } catch {
            complain(Text("failure.warning", ["text": Text("failure.coreDumps", ["reason": "\(error)"])]).text)
        }
        do {
            // The argument parser learns the options by reflection, which takes longer than all else of such a start.
            if arguments == ["--version"] {
                try Output.exactly(Root.configuration.version)
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

    /// Writes a line to stderr.
    public static func complain(_ text: String) {
        try? FileHandle.standardError.write(contentsOf: Data((text + "\n").utf8))
    }

    /// Tells a person how it goes; nothing where stderr is no terminal.
    public static func note(_ text: String) {
        if isatty(STDERR_FILENO) == 1 { complain(text) }
    }

    /// Parses a command line by the one command that it names.
    ///
    /// The parser looks at every command of a tree before it parses by one, so the root parses only what is wrong, for
    /// its errors and its help to name the whole command.
    private static func parse<Root: RootCommand>(
        _ arguments: [String],
        _ path: CommandPath,
        _: Root.Type
    ) throws -> any ParsableCommand {
        if path.command.configuration.subcommands.isEmpty {
            let rest = Array(arguments.dropFirst(path.words.count - 1))
            // A request for help is a command of its own.
            if let command = try? path.command.parseAsRoot(rest), type(of: command) == path.command { return command }
        }
        return try Root.parseAsRoot(arguments)
    }

    private static func name(_ root: any ParsableCommand.Type) -> String {
        root.configuration.commandName ?? "tokenbroker"
    }

    /// The failure that an error is; nil after the help, the version or a completion script was printed, which are data.
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
