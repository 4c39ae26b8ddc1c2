import BrokerRPC
import Files
import Foundation
import Glibc
import HTTPServer
import ProgramConfiguration
import Systemd

/// The sockets of the daemon: those that the service manager opened, and its own in place of those it did not.
struct DaemonSockets: Sendable {
    /// The sockets that the service manager opened.
    let inherited: [InheritedSocket]
    /// The path of the broker's own socket; the authority's lies beside it.
    let path: String
    let paths: ProgramPaths

    /// Listens for the authority's HTTP: at the addresses of `server`, and at its Unix socket.
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

    /// The addresses of the broker's socket.
    var broker: [SocketEndpoint] {
        let handed = inherited.filter { $0.name == "broker" }.map(SocketEndpoint.inherited)
        return handed.isEmpty ? [.path(path, mode: paths.socketMode)] : handed
    }

    /// Makes the folder of the sockets if it is missing; the folder above it must exist.
    func makeFolder() throws(StartFailure) {
        let folder = (path as NSString).deletingLastPathComponent
        let mode: mode_t = paths.isService ? 0o755 : 0o700
        do throws(FileError) {
            guard mkdir(folder, mode) == 0 else {
                if errno == EEXIST { return }
                throw FileError(errno: errno)
            }
            // The umask may have taken more than is meant.
            try FileStatus.changeMode(of: folder, to: mode, ofKind: .directory)
        } catch {
            throw StartFailure("the folder \(folder) of the sockets cannot be made: \(error.reason)")
        }
    }
}
