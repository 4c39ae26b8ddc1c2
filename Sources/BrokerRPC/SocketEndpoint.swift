import Files
import Foundation
import Glibc
public import Systemd

/// An address at which the socket listens.
public enum SocketEndpoint: Hashable, Sendable {
    /// A socket that the service manager opened.
    case inherited(InheritedSocket)
    /// A path at which this process makes a socket, with the mode of its file.
    case path(String, mode: UInt32)
}

/// The reason for which the socket cannot listen.
public struct EndpointError: Error, Hashable, Sendable, CustomStringConvertible {
    /// A sentence for the person who starts the daemon.
    public let description: String
}

/// A socket file that this process made; it never removes another's.
struct SocketFile: Hashable, Sendable {
    let path: String
    private let mode: UInt32
    private let status: FileStatus

    /// Makes the file with its mode before anybody can connect; the descriptor does not listen yet.
    ///
    /// A file left by a process that has ended is replaced; one at which a process answers is not.
    static func bind(_ path: String, mode: UInt32) throws(EndpointError) -> (descriptor: Int32, file: SocketFile) {
        try removeStale(path)
        let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { throw EndpointError(description: "\(SystemError("socket", errno))") }
        guard try withAddress(path, { Glibc.bind(descriptor, $0, $1) }) == 0,
            chmod(path, mode_t(mode)) == 0, let status = try? FileStatus(path: path)
        else {
            let error = SystemError("bind", errno)
            close(descriptor)
            throw EndpointError(description: "the socket \(path) cannot be made: \(error)")
        }
        return (descriptor, SocketFile(path: path, mode: mode, status: status))
    }

    /// True if the file is missing or another one; its inode number is not reused while the socket is open.
    var isGone: Bool {
        guard let now = try? FileStatus(path: path) else { return true }
        return now.device != status.device || now.inode != status.inode
    }

    /// Makes the file again.
    func again() throws(EndpointError) -> (descriptor: Int32, file: SocketFile) { try Self.bind(path, mode: mode) }

    /// Removes the file, if it is still this one.
    func remove() {
        if (try? FileStatus(path: path)) == status { unlink(path) }
    }

    private static func removeStale(_ path: String) throws(EndpointError) {
        guard let status = try? FileStatus(path: path) else { return }
        guard status.kind == .socket else {
            throw EndpointError(description: "\(path) is there and is no socket; remove it or name another path")
        }
        let descriptor = socket(
            AF_UNIX,
            Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue),
            0
        )
        guard descriptor >= 0 else { throw EndpointError(description: "\(SystemError("socket", errno))") }
        defer { close(descriptor) }
        if try withAddress(path, { connect(descriptor, $0, $1) }) == 0 || errno == EAGAIN {
            let holder = (try? PeerCredentials(descriptor: descriptor)).map { " (process \($0.pid))" } ?? ""
            throw EndpointError(description: "the socket \(path) is held by another daemon\(holder)")
        }
        guard errno == ECONNREFUSED, unlink(path) == 0 else {
            throw EndpointError(description: "the socket \(path) cannot be replaced: \(SystemError("unlink", errno))")
        }
    }

    private static func withAddress(
        _ path: String,
        _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32
    ) throws(EndpointError) -> Int32 {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let bytes = Array(path.utf8)
        guard !bytes.isEmpty, bytes.count < MemoryLayout.size(ofValue: address.sun_path) else {
            throw EndpointError(description: "the path of the socket is longer than 107 bytes: \(path)")
        }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
        return withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                body($0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
    }
}
