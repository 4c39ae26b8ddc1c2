import BrokerRPC
import Files
import Foundation
import Glibc
import HTTPServer
import ProgramConfiguration
import Systemd

/// The daemon's sockets.
///
/// The service manager passes some of them, and the daemon opens the others.
struct DaemonSockets: Sendable {
    /// The sockets that the service manager opened.
    let inherited: [InheritedSocket]
    /// The path of the broker socket.
    ///
    /// The authority socket is in the same folder.
    let path: String
    let paths: ProgramPaths

    /// Opens the authority's HTTP listeners: the addresses of `server`, and the authority's Unix socket.
    func authority(_ server: ServerSettings) throws(StartFailure) -> [ListeningSocket] {
        try makeFolder()
        do {
            let http = inherited.filter { $0.name == "http" }
            let unix = inherited.filter { $0.name == "authority" }
            var sockets: [ListeningSocket] = []
            for socket in http + unix { sockets.append(try ListeningSocket(inherited: socket.descriptor)) }
            var own: [ListenAddress] = []
            if http.isEmpty { own += server.listen.map { .tcp(host: $0.host, port: $0.port) } }
            if unix.isEmpty {
                own.append(.unix(path: ProgramPaths.authoritySocket(beside: path), mode: paths.socketMode))
            }
            return sockets + (try ListeningSocket.open(own))
        } catch {
            throw StartFailure("\(error)")
        }
    }

    /// The endpoints of the broker socket.
    var broker: [SocketEndpoint] {
        let handed = inherited.filter { $0.name == "broker" }.map(SocketEndpoint.inherited)
        return handed.isEmpty ? [.path(path, mode: paths.socketMode)] : handed
    }

    /// Creates the folder of the sockets if it is missing.
    ///
    /// Its parent folder must exist.
    func makeFolder() throws(StartFailure) {
        let folder = (path as NSString).deletingLastPathComponent
        let mode: mode_t = paths.isService ? 0o755 : 0o700
        do throws(FileError) {
            guard mkdir(folder, mode) == 0 else {
                if errno == EEXIST { return }
                throw FileError(errno: errno)
            }
            // The umask may have removed bits of the mode.
            try FileStatus.changeMode(of: folder, to: mode, ofKind: .directory)
        } catch {
            throw StartFailure("Cannot create the socket directory \(folder): \(error.reason)")
        }
    }
}
