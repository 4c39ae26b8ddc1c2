import Files
import Foundation
import Systemd

extension LocalSocket {
    /// True if a file is at the path, or if that cannot be determined.
    var isThere: Bool {
        do throws(FileError) {
            _ = try FileStatus(path: path)
            return true
        } catch {
            return error.errno != ENOENT && error.errno != ENOTDIR
        }
    }

    /// Checks that a trusted user listens at the path, as the kernel reports it (`SO_PEERCRED`).
    ///
    /// - Throws: ``RemoteKeysError``.
    func checkPeer() throws(RemoteKeysError) {
        let uid = try listener()
        let folder = try? FileStatus(path: (path as NSString).deletingLastPathComponent)
        guard trusts(uid, folderOwner: folder?.owner) else {
            throw RemoteKeysError(.protocolViolation, "uid \(uid), which is not trusted, listens at \(path)")
        }
    }

    /// True if a server that runs as `uid` is trusted.
    func trusts(_ uid: UInt32, folderOwner: UInt32?) -> Bool {
        uid == 0 || uids.contains(uid) || (trustsFolder && uid == folderOwner)
    }

    private func listener() throws(RemoteKeysError) -> UInt32 {
        let descriptor = socket(
            AF_UNIX,
            Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue),
            0
        )
        guard descriptor >= 0 else { throw RemoteKeysError(.unreachable, "no socket can be made") }
        defer { close(descriptor) }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let bytes = Array(path.utf8)
        guard bytes.count < MemoryLayout.size(ofValue: address.sun_path) else {
            throw RemoteKeysError(.unreachable, "\(path) is too long for a socket")
        }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
        let code = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0 ? 0 : errno
            }
        }
        guard code == 0 else { throw RemoteKeysError(.unreachable, "\(path): \(String(cString: strerror(code)))") }
        do {
            return try PeerCredentials(descriptor: descriptor).uid
        } catch {
            throw RemoteKeysError(.unreachable, "\(path): \(error)")
        }
    }
}
