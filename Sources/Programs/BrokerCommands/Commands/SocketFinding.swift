import BrokerClient
import Files
import FlowModel
import Foundation
import Glibc
import Systemd

enum SocketFinding {
    /// Returns the findings about the sockets at `paths`, or only about the usable ones if there are any.
    static func all(_ paths: [String]) -> [Finding] {
        let findings = paths.map(finding)
        if findings.contains(where: { $0.isUsable }) {
            return findings.filter { $0.state == .good || $0.isUsable }
        }
        // No socket is usable. All findings are returned, because a missing socket must not hide another problem.
        return findings
    }

    static func usable(_ paths: [String]) -> String? { paths.first { finding($0).isUsable } }

    /// Returns the environment of the process that listens at `path`, as far as this user may read it.
    static func environment(listeningAt path: String?) -> [String: String] {
        guard let path, let peer = try? PeerCredentials(listeningAt: path),
            let bytes = FileManager.default.contents(atPath: "/proc/\(peer.pid)/environ")
        else { return [:] }
        let pairs = bytes.split(separator: 0).map { String(decoding: $0, as: UTF8.self) }
            .map { $0.split(separator: "=", maxSplits: 1).map(String.init) }
            .filter { $0.count == 2 }
        return Dictionary(pairs.map { ($0[0], $0[1]) }) { first, _ in first }
    }

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

    /// Returns the finding about a socket's listener, which must run as this user, as root, or as the service's user.
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
