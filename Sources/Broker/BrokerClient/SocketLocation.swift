import Files
public import Foundation
import Glibc

/// The paths at which a client looks for the broker's socket, and the rule that determines which servers it trusts.
public struct SocketLocation: Hashable, Sendable {
    /// The socket paths to try, in this order.
    public let paths: [String]

    /// The path of the system service's socket.
    public static let servicePath = "/run/tokenbroker/tokenbroker.sock"

    /// Creates a location that consists of the given paths.
    public init(paths: [String]) {
        self.paths = paths
    }

    /// Creates a location from `override`, `TOKENBROKER_SOCKET` or the default paths, in this order of preference.
    ///
    /// The default paths are the path of the user's own socket in `XDG_RUNTIME_DIR` and ``servicePath``.
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

    /// Whether a server at `path` that runs as `uid` is trusted with secrets.
    ///
    /// The current user and root are trusted at every path. At the service's path, the owner of the socket's directory
    /// is trusted too, because only root can create that directory.
    static func trusts(_ uid: UInt32, at path: String) -> Bool {
        if uid == geteuid() || uid == 0 { return true }
        guard path == servicePath else { return false }
        let folder = try? FileStatus(path: (path as NSString).deletingLastPathComponent)
        return folder?.kind == .directory && folder?.owner == uid
    }
}
