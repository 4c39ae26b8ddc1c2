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
