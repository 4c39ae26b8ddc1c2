public import Foundation
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

    /// A socket that is known already.
    public init(name: String, descriptor: Int32) {
        self.name = name
        self.descriptor = descriptor
    }

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

/// The secrets that the service manager hands over as files (`LoadCredential=`, `systemd.exec(5)`).
public struct CredentialsDirectory: Sendable {
    private let folder: String?

    /// The folder that `environment` names as `CREDENTIALS_DIRECTORY`, if any.
    public init(environment: [String: String] = ProcessInfo.processInfo.environment) {
        folder = environment["CREDENTIALS_DIRECTORY"].flatMap { $0.hasPrefix("/") ? $0 : nil }
    }

    /// The path of the credential `name`, or nil if there is none; a name with a slash in it names none.
    public func path(of name: String) -> String? {
        guard let folder, !name.isEmpty, !name.contains("/"), name != ".", name != ".." else { return nil }
        let path = folder + "/" + name
        return FileManager.default.isReadableFile(atPath: path) ? path : nil
    }
}
