import CLinux
import Foundation
import Glibc

/// The names that this machine and its users have for people.
public enum MachineNames {
    /// The name of this machine.
    public static var host: String { ProcessInfo.processInfo.hostName }

    /// The name of a uid; nil if the system knows none.
    public static func user(_ uid: UInt32) -> String? {
        var record = passwd()
        var found: UnsafeMutablePointer<passwd>?
        var buffer = [CChar](repeating: 0, count: 16_384)
        guard getpwuid_r(uid, &record, &buffer, buffer.count, &found) == 0, found != nil, let name = record.pw_name
        else { return nil }
        return String(cString: name)
    }
}

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
