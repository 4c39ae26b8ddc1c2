import Files
import Glibc

/// The operating-system user that owns a state directory.
public enum FolderOwner {
    /// Switches a root process to the directory's owner, unless the directory is missing or belongs to root.
    ///
    /// - Throws: `permissions` if the process cannot switch to the user.
    public static func become(of path: String) throws(StoreError) {
        guard geteuid() == 0, let owner = (try? FileStatus(path: path))?.owner, owner != 0 else { return }
        guard let user = getpwuid(owner) else { throw StoreError(.permissions, "\(path) belongs to no user") }
        guard setgroups(0, nil) == 0, setgid(user.pointee.pw_gid) == 0, setuid(owner) == 0 else {
            throw StoreError(.permissions, "cannot become the user of \(path)")
        }
    }
}
