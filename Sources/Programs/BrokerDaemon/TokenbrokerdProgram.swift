import ArgumentParser
import Foundation
import Systemd

/// The entry point of `tokenbrokerd`.
public enum TokenbrokerdProgram {
    /// Prepares the process before a second thread starts.
    public static func prepare() { ProcessMemory.spareMemory() }

    /// Runs the daemon, or ends the process with the failure's exit status if the daemon fails.
    public static func run() async {
        do {
            if let start = Start(plain: CommandLine.arguments.dropFirst()) { return try await start.run() }
            var command = try Tokenbrokerd.parseAsRoot()
            if var command = command as? any AsyncParsableCommand { try await command.run() } else { try command.run() }
        } catch let failure as StartFailure {
            failure.report()
            Foundation.exit(failure.status)
        } catch {
            // ArgumentParser throws help, the version and completion scripts as errors with a success code.
            guard Tokenbrokerd.exitCode(for: error) != .success else { Tokenbrokerd.exit(withError: error) }
            let failure = StartFailure(Tokenbrokerd.message(for: error), status: .usage)
            failure.report()
            Foundation.exit(failure.status)
        }
    }
}
