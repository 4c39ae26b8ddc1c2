import Files
import Glibc

/// The user whose state directory it is.
public enum FolderOwner {
    /// Lets root become that user for the rest of the process, so that every file is the daemon's from its first byte.
    ///
    /// Nothing happens for anybody else, and for a folder that is not there or root's own.
    ///
    /// - Throws: `permissions` if that cannot be done.
    public static func become(of path: String) throws(StoreError) {
        guard geteuid() == 0, let owner = (try? FileStatus(path: path))?.owner, owner != 0 else { return }
        guard let user = getpwuid(owner) else { throw StoreError(.permissions, "\(path) belongs to no user") }
        guard setgroups(0, nil) == 0, setgid(user.pointee.pw_gid) == 0, setuid(owner) == 0 else {
            throw StoreError(.permissions, "cannot become the user of \(path)")
        }
    }
}
