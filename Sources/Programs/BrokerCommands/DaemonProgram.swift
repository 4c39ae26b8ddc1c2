import FlowModel
import Foundation
import Glibc
import Terminal

enum DaemonProgram {
    /// Returns the path of `tokenbrokerd`, which is either near this program or in a usual folder for system daemons.
    ///
    /// - Throws: A `CommandFailure` if `tokenbrokerd` is not installed.
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

    /// Returns the last error message in the daemon's output or, if there is none, the last line of the output.
    static func complaint(in text: String) -> String? {
        let prefix = "tokenbrokerd: error: "
        let lines = text.split(separator: "\n")
        return (lines.last { $0.hasPrefix(prefix) }?.dropFirst(prefix.count) ?? lines.last).map(String.init)
    }
}
