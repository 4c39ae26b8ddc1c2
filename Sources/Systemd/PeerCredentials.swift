import CLinux
import Foundation

/// Who is at the other end of a Unix socket, as the kernel noted it when the connection was made (`SO_PEERCRED`).
///
/// The uid is the boundary; pid and gid are for the audit only, since a pid is used again.
public struct PeerCredentials: Hashable, Sendable {
    /// The process that connected, or that listens.
    public let pid: Int32
    /// The user it ran as.
    public let uid: UInt32
    /// The group it ran as.
    public let gid: UInt32

    /// Credentials that are known already.
    public init(pid: Int32, uid: UInt32, gid: UInt32) {
        self.pid = pid
        self.uid = uid
        self.gid = gid
    }

    /// Asks the kernel about the peer of `descriptor`, a connected Unix stream socket.
    public init(descriptor: Int32) throws(SystemError) {
        var peer = clinux_peer()
        let code = clinux_peer_credentials(descriptor, &peer)
        guard code == 0 else { throw SystemError("getsockopt(SO_PEERCRED)", code) }
        self.init(pid: peer.pid, uid: peer.uid, gid: peer.gid)
    }

    /// Whether the uid names nobody in particular: -1, or the uid that the kernel puts in place of one it cannot map.
    ///
    /// Under such a uid many users would be the same one, so it owns nothing.
    public var isNobody: Bool { uid == .max || uid == Self.overflowUID }

    /// The uid that stands for all that a user namespace cannot map.
    public static let overflowUID: UInt32 = {
        let text = (try? String(contentsOfFile: "/proc/sys/kernel/overflowuid", encoding: .utf8)) ?? ""
        return UInt32(text.trimmingCharacters(in: .whitespacesAndNewlines)) ?? 65_534
    }()
}
