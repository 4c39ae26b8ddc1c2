import Files
public import Foundation
import Glibc

/// The paths to try for the broker's socket, and the rule for trusting a server there.
public struct SocketLocation: Hashable, Sendable {
    /// The paths to try, in order.
    public let paths: [String]

    /// The path of the system service's socket.
    public static let servicePath = "/run/tokenbroker/tokenbroker.sock"

    /// Creates a location with the given paths.
    public init(paths: [String]) {
        self.paths = paths
    }

    /// Creates the location defined in the contract (§2).
    ///
    /// The path is `override`, or else the value of `TOKENBROKER_SOCKET` in `environment`. If neither is set, the paths
    /// are the user's own socket, then the service's socket.
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
    /// The server must run as this user, as root, or as the owner of the service's directory, which only root can
    /// create.
    static func trusts(_ uid: UInt32, at path: String) -> Bool {
        if uid == geteuid() || uid == 0 { return true }
        guard path == servicePath else { return false }
        let folder = try? FileStatus(path: (path as NSString).deletingLastPathComponent)
        return folder?.kind == .directory && folder?.owner == uid
    }
}
