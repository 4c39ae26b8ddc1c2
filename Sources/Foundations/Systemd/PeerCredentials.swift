import CLinux
import Foundation

/// Peer of a Unix socket, as the kernel noted it when the connection was made (`SO_PEERCRED`,
/// `SO_PEERGROUPS`).
///
/// The uid is the boundary; groups make operators; the pid is for the audit only, since a pid is used again.
public struct PeerCredentials: Hashable, Sendable {
    /// The process that connected, or that listens.
    public let pid: Int32
    /// The user it ran as.
    public let uid: UInt32
    /// The group it ran as.
    public let gid: UInt32
    /// The supplementary groups it had; none where the kernel does not say, or where there are too many.
    public let groups: [UInt32]

    /// The most supplementary groups that are looked at; of a peer with more, none counts.
    public static let groupLimit = 256

    /// Credentials that are known already.
    public init(pid: Int32, uid: UInt32, gid: UInt32, groups: [UInt32] = []) {
        self.pid = pid
        self.uid = uid
        self.gid = gid
        self.groups = groups
    }

    /// Asks the kernel about the peer of `descriptor`, a connected Unix stream socket.
    public init(descriptor: Int32) throws(SystemError) {
        var peer = clinux_peer()
        let code = clinux_peer_credentials(descriptor, &peer)
        guard code == 0 else { throw SystemError("getsockopt(SO_PEERCRED)", code) }
        self.init(pid: peer.pid, uid: peer.uid, gid: peer.gid, groups: Self.groups(of: descriptor))
    }

    /// Without an answer a peer has its primary group alone: it may do less, never more.
    private static func groups(of descriptor: Int32) -> [UInt32] {
        [UInt32](unsafeUninitializedCapacity: groupLimit) { groups, count in
            guard let start = groups.baseAddress else { return }
            if clinux_peer_groups(descriptor, start, groupLimit, &count) != 0 { count = 0 }
        }
    }

    /// True if the uid names nobody in particular: -1, or the uid that the kernel puts in place of one it cannot map.
    ///
    /// Under such a uid many users would be the same one, so it owns nothing.
    public var isNobody: Bool { uid == .max || uid == Self.overflowUID }

    /// The uid that stands for all that a user namespace cannot map.
    public static let overflowUID: UInt32 = {
        let text = (try? String(contentsOfFile: "/proc/sys/kernel/overflowuid", encoding: .utf8)) ?? ""
        return UInt32(text.trimmingCharacters(in: .whitespacesAndNewlines)) ?? 65_534
    }()
}
