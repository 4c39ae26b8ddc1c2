import Files
public import Foundation
import Glibc

/// Where the broker's socket may be, and which servers may stand behind it.
public struct SocketLocation: Hashable, Sendable {
    /// The paths to try, in order.
    public let paths: [String]

    /// The service's socket.
    public static let servicePath = "/run/tokenbroker/tokenbroker.sock"

    /// Exactly these paths.
    public init(paths: [String]) {
        self.paths = paths
    }

    /// The places of the contract (§2): `override`, else `TOKENBROKER_SOCKET`, else the user's own socket and then the
    /// service's.
    public init(
        override: String? = nil,
        environment: [String: String] = ProcessInfo.processInfo.environment
    ) {
        if let path = override ?? environment["TOKENBROKER_SOCKET"], !path.isEmpty {
            paths = [path]
            return
        }
        let own = environment["XDG_RUNTIME_DIR"].flatMap { $0.hasPrefix("/") ? $0 : nil }
        paths = (own.map { ["\($0)/tokenbroker/tokenbroker.sock"] } ?? []) + [Self.servicePath]
    }

    /// Whether a server that runs as `uid` may be told secrets at `path`: this user, root, or whoever the service's own
    /// directory belongs to, which only root can make.
    static func trusts(_ uid: UInt32, at path: String) -> Bool {
        if uid == geteuid() || uid == 0 { return true }
        guard path == servicePath else { return false }
        let folder = try? FileStatus(path: (path as NSString).deletingLastPathComponent)
        return folder?.kind == .directory && folder?.owner == uid
    }
}
