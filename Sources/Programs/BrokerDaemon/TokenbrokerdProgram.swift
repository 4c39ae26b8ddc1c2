import ArgumentParser
import Foundation
import Systemd

/// `tokenbrokerd`.
public enum TokenbrokerdProgram {
    /// Prepares the process, before it has a second thread.
    public static func prepare() { ProcessMemory.spareMemory() }

    /// Runs the daemon; ends the process with the exit status that a failure stands for.
    public static func run() async {
        do {
            if let start = Start(plain: CommandLine.arguments.dropFirst()) { return try await start.run() }
            var command = try Tokenbrokerd.parseAsRoot()
            if var command = command as? any AsyncParsableCommand { try await command.run() } else { try command.run() }
        } catch let failure as StartFailure {
            failure.report()
            Foundation.exit(failure.status)
        } catch {
            // Of ArgumentParser: help, version and completion scripts are data, the rest is usage.
            guard Tokenbrokerd.exitCode(for: error) != .success else { Tokenbrokerd.exit(withError: error) }
            let failure = StartFailure(Tokenbrokerd.message(for: error), status: .usage)
            failure.report()
            Foundation.exit(failure.status)
        }
    }
}
