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
        do throws(SystemError) {
            return try PeerCredentials(listeningAt: path).uid
        } catch {
            throw RemoteKeysError(.unreachable, "\(path): \(error)")
        }
    }
}
