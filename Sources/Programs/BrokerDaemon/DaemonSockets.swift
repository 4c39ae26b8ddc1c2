import BrokerRPC
import Files
import FlowModel
import Foundation
import Glibc
import HTTPServer
import Logging
import ProgramConfiguration
import Systemd

struct DaemonSockets: Sendable {
    let inherited: [InheritedSocket]
    /// The path of the broker socket, which is in the same folder as the authority socket.
    let path: String
    let paths: ProgramPaths

    /// Returns the authority's TCP and Unix sockets, and opens those that the service manager has not opened.
    func authority(_ server: ServerSettings, _ logger: Logger) throws(StartFailure) -> [ListeningSocket] {
        try makeFolder()
        do {
            let http = inherited.filter { $0.name == "http" }
            let unix = inherited.filter { $0.name == "authority" }
            var sockets: [ListeningSocket] = []
            for socket in http + unix { sockets.append(try ListeningSocket(inherited: socket.descriptor)) }
            var own: [ListenAddress] = []
            if http.isEmpty { own += server.available(logger).map { .tcp(host: $0.host, port: $0.port) } }
            if unix.isEmpty {
                own.append(.unix(path: ProgramPaths.authoritySocket(beside: path), mode: paths.socketMode))
            }
            return sockets + (try ListeningSocket.open(own))
        } catch {
            throw StartFailure("\(error)")
        }
    }

    var broker: [SocketEndpoint] {
        let handed = inherited.filter { $0.name == "broker" }.map(SocketEndpoint.inherited)
        return handed.isEmpty ? [.path(path, mode: paths.socketMode)] : handed
    }

    /// Creates the sockets' folder if it is missing, but does not create its parent folder.
    func makeFolder() throws(StartFailure) {
        let folder = (path as NSString).deletingLastPathComponent
        let mode: mode_t = paths.isService ? 0o755 : 0o700
        do throws(FileError) {
            guard mkdir(folder, mode) == 0 else {
                if errno == EEXIST { return }
                throw FileError(errno: errno)
            }
            // The umask may have removed permission bits from the folder's mode.
            try FileStatus.changeMode(of: folder, to: mode, ofKind: .directory)
        } catch {
            let text = Text("failure.start.socketFolder", ["folder": folder, "reason": error.reason])
            let isDefault = paths.usesRuntimeDirectory && path == paths.socket
            let hint = Text(isDefault ? "failure.start.setRuntimeDirectory" : "failure.start.otherSocket")
            throw StartFailure(.list([text, hint], .space))
        }
    }
}
