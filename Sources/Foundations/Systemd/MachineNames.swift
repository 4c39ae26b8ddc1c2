import CLinux
import Foundation
import Glibc

/// The human-readable names of this machine and its users.
public enum MachineNames {
    /// The host name.
    public static var host: String { ProcessInfo.processInfo.hostName }

    /// Returns the name of the user with the given uid, or `nil` if no user has this uid.
    public static func user(_ uid: UInt32) -> String? {
        var record = passwd()
        var found: UnsafeMutablePointer<passwd>?
        var buffer = [CChar](repeating: 0, count: 16_384)
        guard getpwuid_r(uid, &record, &buffer, buffer.count, &found) == 0, found != nil, let name = record.pw_name
        else { return nil }
        return String(cString: name)
    }
}

/// Finds the ids of groups.
public enum GroupID {
    /// Returns the gid of the group with the given name, or `nil` if the group does not exist.
    ///
    /// A number is returned unchanged. Do not call this for each request, because it may query a directory server.
    public static func of(_ name: String) throws(SystemError) -> UInt32? {
        if let number = UInt32(name) { return number }
        var gid: UInt32 = 0
        switch clinux_group_id(name, &gid) {
        case 0: return gid
        // `getgrnam_r` may report an unknown group with any of these codes (getgrnam(3)).
        case ENOENT, ESRCH, EBADF, EPERM: return nil
        case let code: throw SystemError("getgrnam_r", code)
        }
    }
}
