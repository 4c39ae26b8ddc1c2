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
                return bad(Text("cli.doctor.noSocketFile", ["path": path]), Text("cli.doctor.removeAndStart"))
            }
        } catch {
            return error.errno == EACCES
                ? bad(Text("cli.doctor.socketFolderIsClosed", ["path": path]), Text("cli.doctor.lookAtRights"))
                : bad(
                    Text("cli.doctor.noSocket", ["path": path]),
                    path == SocketLocation.servicePath ? Text("cli.doctor.startService") : Text("cli.doctor.startOwn")
                )
        }
        switch Result(catching: { () throws(SystemError) in try PeerCredentials(listeningAt: path) }) {
        case .failure(let error) where error.code == ECONNREFUSED:
            return bad(Text("cli.doctor.staleSocket", ["path": path]), Text("cli.doctor.startRemovesStale"))
        case .failure(let error) where error.code == EACCES:
            return bad(Text("cli.doctor.mayNotConnect", ["path": path]), Text("cli.doctor.socketMode"))
        case .failure(let error):
            return bad(
                Text("cli.doctor.socketFails", ["path": path, "error": "\(error)"]),
                Text("cli.doctor.startOrName")
            )
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
                Text("cli.doctor.stranger", ["path": path, "uid": peer.uid, "pid": peer.pid]),
                Text("cli.doctor.doNotSignIn")
            )
        }
        let text = Text("cli.doctor.listens", ["path": path, "uid": peer.uid, "pid": peer.pid])
        return Finding(state: .good, text: text, isUsable: true)
    }

    private static func bad(_ text: Text, _ advice: Text) -> Finding {
        Finding(state: .bad, text: text, advice: advice, isUnreachable: true)
    }
}
