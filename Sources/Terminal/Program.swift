public import ArgumentParser
import Dispatch
import Foundation
import Glibc
import Systemd

/// Runs a command line to its end: parse, run, say what went wrong, exit.
public enum Program {
    /// Runs the command that the arguments name, and exits.
    ///
    /// Ctrl-C and SIGTERM cancel the command, which ends its flow; the second one ends the program.
    public static func run<Root: ParsableCommand>(_: Root.Type) async -> Never {
        let arguments = Array(CommandLine.arguments.dropFirst())
        // Passwords and tokens pass through here; they do not end in a core file.
        do {
            try ProcessMemory.denyDumps()
        } catch {
            complain("warning: core dumps cannot be switched off: \(error)")
        }
        do {
            try await interruptible {
                var command = try Root.parseAsRoot(arguments)
                if var command = command as? any AsyncParsableCommand {
                    try await command.run()
                } else {
                    try command.run()
                }
            }
        } catch {
            end(error, Root.self, asJSON: arguments.prefix { $0 != "--" }.contains("--json"))
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

    private static func end<Root: ParsableCommand>(_ error: any Error, _: Root.Type, asJSON: Bool) -> Never {
        let name = Root.configuration.commandName ?? "tokenbroker"
        let failure: CommandFailure
        if let error = error as? CommandFailure {
            failure = error
        } else if Root.exitCode(for: error) == .success {
            // Help, the version, a completion script: data, so it goes to stdout.
            print(Root.fullMessage(for: error))
            exit(ExitStatus.done.rawValue)
        } else {
            failure = .usage(Root.message(for: error), hint: "`\(name) --help` says what there is")
        }
        fflush(nil)
        complain(failure.text(program: name, asJSON: asJSON))
        exit(failure.status.rawValue)
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
