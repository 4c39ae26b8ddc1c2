import Foundation
import Glibc

/// A listening socket or stored descriptor that the service manager passed to this process (`sd_listen_fds(3)`).
public struct InheritedSocket: Hashable, Sendable {
    /// The `FileDescriptorName=` of the descriptor, or `unknown` if it has none.
    public let name: String
    /// The open descriptor, which child processes do not inherit.
    public let descriptor: Int32

    /// The maximum number of inherited descriptors, which allows 32 sockets and a full ``DescriptorStore``.
    public static let limit = 32 + DescriptorStore.limit

    /// Returns the descriptors that the environment variables of `sd_listen_fds(3)` announce, and unsets the variables.
    public static func take() -> [InheritedSocket] {
        let sockets = announced(in: ProcessInfo.processInfo.environment, pid: getpid())
        for variable in ["LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES"] { unsetenv(variable) }
        for socket in sockets { _ = fcntl(socket.descriptor, F_SETFD, FD_CLOEXEC) }
        return sockets
    }

    /// Returns the descriptors that `environment` announces to the process `pid`, or an empty array if there are none.
    public static func announced(in environment: [String: String], pid: Int32) -> [InheritedSocket] {
        guard environment["LISTEN_PID"].flatMap({ Int32($0) }) == pid,
            let count = environment["LISTEN_FDS"].flatMap({ Int($0) }), (1...limit).contains(count)
        else { return [] }
        let names = (environment["LISTEN_FDNAMES"] ?? "")
            .split(separator: ":", omittingEmptySubsequences: false)
            .map(String.init)
        return (0..<count).map { index in
            let name = index < names.count && !names[index].isEmpty ? names[index] : "unknown"
            return InheritedSocket(name: name, descriptor: firstDescriptor + Int32(index))
        }
    }

    /// The first inherited descriptor (`SD_LISTEN_FDS_START`).
    private static let firstDescriptor: Int32 = 3
}
