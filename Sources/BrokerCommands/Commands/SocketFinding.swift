import BrokerClient
import Files
import FlowModel
import Foundation
import Glibc
import Systemd

/// Findings about the daemon's socket, seen from outside.
enum SocketFinding {
    /// One finding for each path, and what to do if none is of use.
    static func all(_ paths: [String]) -> [Finding] {
        let findings = paths.map(finding)
        if findings.contains(where: { $0.isUsable }) {
            return findings.filter { $0.state == .good || $0.isUsable }
        }
        // With one place that is broken and one that is empty, the broken one is what to mend.
        return findings
    }

    /// The first of `paths` at which somebody listens who may.
    static func usable(_ paths: [String]) -> String? { paths.first { finding($0).isUsable } }

    private static func finding(_ path: String) -> Finding {
        do throws(FileError) {
            guard try FileStatus(path: path).kind == .socket else {
                return bad("\(path): is no socket", "remove it, and start the daemon")
            }
        } catch {
            return error.errno == EACCES
                ? bad("\(path): its folder may not be entered", "look at the rights of its folder")
                : bad(
                    "\(path): there is no socket",
                    path == SocketLocation.servicePath
                        ? "start the service: `systemctl start tokenbroker.socket`"
                        : "start the daemon: `systemctl --user start tokenbroker.socket`, or `tokenbrokerd`"
                )
        }
        switch Result(catching: { () throws(SystemError) in try PeerCredentials(listeningAt: path) }) {
        case .failure(let error) where error.code == ECONNREFUSED:
            return bad("\(path): nobody listens there", "start the daemon; it removes the stale file itself")
        case .failure(let error) where error.code == EACCES:
            return bad("\(path): this user may not connect", "as a service the socket's mode is 0666; see its unit")
        case .failure(let error):
            return bad("\(path): \(error)", "start the daemon, or name its socket by --socket")
        case .success(let peer):
            return judged(peer, path)
        }
    }

    /// Whoever listens must be this user, root, or whom the folder belongs to.
    private static func judged(_ peer: PeerCredentials, _ path: String) -> Finding {
        let folder = try? FileStatus(path: (path as NSString).deletingLastPathComponent)
        let isService = path == SocketLocation.servicePath && folder?.owner == peer.uid
        guard peer.uid == geteuid() || peer.uid == 0 || isService else {
            return bad(
                "\(path): uid \(peer.uid), process \(peer.pid), listens there, and is neither you, root nor the service",
                "do not sign in; find out what that process is"
            )
        }
        return Finding(.good, "\(path): uid \(peer.uid), process \(peer.pid), listens", isUsable: true)
    }

    private static func bad(_ text: String, _ advice: String) -> Finding {
        Finding(.bad, text, advice, isUnreachable: true)
    }
}
