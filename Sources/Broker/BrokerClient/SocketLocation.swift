import Files
public import Foundation
import Glibc

/// The paths at which the broker's socket may be, and the rule that decides which servers are trusted there.
public struct SocketLocation: Hashable, Sendable {
    /// The paths to try, in order.
    public let paths: [String]

    /// The path of the system service's socket.
    public static let servicePath = "/run/tokenbroker/tokenbroker.sock"

    /// Makes a location of exactly these paths.
    public init(paths: [String]) {
        self.paths = paths
    }

    /// Makes the location of the contract (§2): `override`, else `TOKENBROKER_SOCKET`, else the user's own socket and
    /// then the service's.
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

    /// True if a server that runs as `uid` is trusted with secrets at `path`: this user, root, or the owner of the
    /// service's own directory, which only root can make.
    static func trusts(_ uid: UInt32, at path: String) -> Bool {
        if uid == geteuid() || uid == 0 { return true }
        guard path == servicePath else { return false }
        let folder = try? FileStatus(path: (path as NSString).deletingLastPathComponent)
        return folder?.kind == .directory && folder?.owner == uid
    }
}
