import Foundation
import Glibc

/// A listening socket that the service manager opened for this process, or a descriptor that it has kept since the
/// process before (`sd_listen_fds(3)`).
public struct InheritedSocket: Hashable, Sendable {
    /// Its `FileDescriptorName=`, by which it is told from others; `unknown` if it was given none.
    public let name: String
    /// The open descriptor, which children do not inherit.
    public let descriptor: Int32

    /// The most descriptors that are taken: 32 sockets, and what a ``DescriptorStore`` keeps.
    public static let limit = 32 + DescriptorStore.limit

    /// Takes over what the environment of this process announces, once: the variables are gone afterwards.
    public static func take() -> [InheritedSocket] {
        let sockets = announced(in: ProcessInfo.processInfo.environment, pid: getpid())
        for variable in ["LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES"] { unsetenv(variable) }
        for socket in sockets { _ = fcntl(socket.descriptor, F_SETFD, FD_CLOEXEC) }
        return sockets
    }

    /// Reads the sockets that `environment` announces to the process `pid`; empty if it is meant for another one.
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

    /// First descriptor of the service manager (`SD_LISTEN_FDS_START`).
    private static let firstDescriptor: Int32 = 3
}
