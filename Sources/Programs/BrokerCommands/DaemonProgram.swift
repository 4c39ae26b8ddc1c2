import FlowModel
import Foundation
import Glibc
import Terminal

/// The program of the daemon, for the commands that run it.
enum DaemonProgram {
    /// The path of `tokenbrokerd`, beside this program or where the system's daemons are.
    ///
    /// - Throws: A `CommandFailure` if it is not installed.
    static func path() throws -> String {
        let own = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        let folder = (own as NSString).deletingLastPathComponent
        let places = [
            folder, folder + "/../sbin", folder + "/../../bin", folder + "/../../sbin", "/usr/bin", "/usr/sbin",
        ]
        let paths = places.map { $0 + "/tokenbrokerd" }
        guard let path = paths.first(where: { access($0, X_OK) == 0 }) else {
            throw CommandFailure(.failed, "no_daemon", Text("failure.noDaemon", ["path": own]))
        }
        return path
    }

    /// The last complaint in what it wrote on standard error, or else its last line; nil if it wrote nothing.
    static func complaint(in text: String) -> String? {
        let prefix = "tokenbrokerd: error: "
        let lines = text.split(separator: "\n")
        return (lines.last { $0.hasPrefix(prefix) }?.dropFirst(prefix.count) ?? lines.last).map(String.init)
    }
}
