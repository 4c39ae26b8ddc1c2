import CLinux
import Glibc

/// The system's groups.
public enum GroupID {
    /// The number of the group `name`, which may be a number already; nothing if there is none.
    ///
    /// It may ask a server of the network, so it is asked where settings are read, never where calls are answered.
    public static func of(_ name: String) throws(SystemError) -> UInt32? {
        if let number = UInt32(name) { return number }
        var gid: UInt32 = 0
        switch clinux_group_id(name, &gid) {
        case 0: return gid
        // The codes that getgrnam(3) lists as "not found", beside the zero that POSIX requires.
        case ENOENT, ESRCH, EBADF, EPERM: return nil
        case let code: throw SystemError("getgrnam_r", code)
        }
    }
}
