import CLinux
import Foundation

/// The credentials of the process at the other end of a Unix socket (`SO_PEERCRED`, `SO_PEERGROUPS`).
///
/// The kernel records them at connection time. Use the pid only in logs and messages, because pids are reused.
public struct PeerCredentials: Hashable, Sendable {
    /// The id of the peer's process, which is the client or the listener.
    public let pid: Int32
    /// The uid of the process.
    public let uid: UInt32
    /// The gid of the process.
    public let gid: UInt32
    /// The gids of the supplementary groups, or an empty array if they are unknown or more than ``groupLimit``.
    public let groups: [UInt32]

    /// The maximum number of supplementary groups, above which all of a peer's supplementary groups are ignored.
    public static let groupLimit = 256

    /// Creates credentials from known values.
    public init(pid: Int32, uid: UInt32, gid: UInt32, groups: [UInt32] = []) {
        self.pid = pid
        self.uid = uid
        self.gid = gid
        self.groups = groups
    }

    /// Reads the peer's credentials from `descriptor`, a connected Unix stream socket.
    public init(descriptor: Int32) throws(SystemError) {
        var peer = clinux_peer()
        let code = clinux_peer_credentials(descriptor, &peer)
        guard code == 0 else { throw SystemError("getsockopt(SO_PEERCRED)", code) }
        self.init(pid: peer.pid, uid: peer.uid, gid: peer.gid, groups: Self.groups(of: descriptor))
    }

    /// Returns an empty array if the groups are unknown, which can only reduce the peer's permissions.
    private static func groups(of descriptor: Int32) -> [UInt32] {
        [UInt32](unsafeUninitializedCapacity: groupLimit) { groups, count in
            guard let start = groups.baseAddress else { return }
            if clinux_peer_groups(descriptor, start, groupLimit, &count) != 0 { count = 0 }
        }
    }

    /// Whether the uid is -1 or the overflow uid, which several users can share and which must not own any data.
    public var isNobody: Bool { uid == .max || uid == Self.overflowUID }

    /// The uid that the kernel reports for users who have no mapping in the user namespace.
    public static let overflowUID: UInt32 = {
        let text = (try? String(contentsOfFile: "/proc/sys/kernel/overflowuid", encoding: .utf8)) ?? ""
        return UInt32(text.trimmingCharacters(in: .whitespacesAndNewlines)) ?? 65_534
    }()
}
