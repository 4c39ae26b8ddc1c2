import Files
public import Foundation
import Glibc

/// The paths at which a client looks for the broker's socket, and the rule that determines which servers it trusts.
public struct SocketLocation: Hashable, Sendable {
    /// The socket paths to try, in this order.
    public let paths: [String]
    /// Whether the first path is in the default runtime directory, because `XDG_RUNTIME_DIR` is not an absolute path.
    package let lacksRuntimeDirectory: Bool

    /// The path of the system service's socket.
    public static let servicePath = BrokerSocketPath.service

    /// Creates a location that consists of the given paths.
    public init(paths: [String]) {
        self.paths = paths
        lacksRuntimeDirectory = false
    }

    /// Creates a location from `override`, `TOKENBROKER_SOCKET` or the default paths, in this order of preference.
    ///
    /// The default paths are the path of the user's own socket in `XDG_RUNTIME_DIR`, or in `/run/user/` and the uid if
    /// the variable is not set, and ``servicePath``.
    public init(
        override: String? = nil,
        environment: [String: String] = ProcessInfo.processInfo.environment
    ) {
        self.init(override: override, environment: environment, uid: geteuid())
    }

    init(override: String?, environment: [String: String], uid: UInt32) {
        if let path = override ?? environment["TOKENBROKER_SOCKET"], !path.isEmpty {
            paths = [path]
            lacksRuntimeDirectory = false
            return
        }
        let directory = environment["XDG_RUNTIME_DIR"]
        paths = BrokerSocketPath.all(runtimeDirectory: directory, uid: uid)
        lacksRuntimeDirectory = paths.count > 1 && !BrokerSocketPath.isUsable(directory)
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
