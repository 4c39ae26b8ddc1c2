import Files
import Glibc

/// The file of a Unix socket that this process created.
public struct UnixSocketFile: Hashable, Sendable {
    /// The path of the file.
    public let path: String
    private let mode: UInt32
    private let status: FileStatus

    /// Listens on a Unix socket at `path`, which must have at most 107 bytes, and replaces an unused socket file.
    ///
    /// Before any process can connect, the file has exactly the given mode, regardless of the umask.
    ///
    /// - Returns: The listening descriptor, which the caller must close, and its file, which the caller must remove.
    public static func listen(
        at path: String,
        mode: UInt32
    ) throws(UnixSocketError) -> (descriptor: Int32, file: UnixSocketFile) {
        try removeStale(path)
        do throws(SystemError) {
            let address = try UnixAddress(path)
            let descriptor = try UnixAddress.makeSocket()
            do throws(SystemError) {
                // Set the mode before `bind` creates the file, so that the file never has a more permissive mode. The
                // umask can make the mode more restrictive, so the mode is set again below.
                guard fchmod(descriptor, mode) == 0 else { throw SystemError("fchmod", errno) }
                try address.bind(descriptor)
                // Change only the mode of a socket, because a user with write access to the folder may have replaced
                // the file with a link.
                do throws(FileError) {
                    try FileStatus.changeMode(of: path, to: mode, ofKind: .socket)
                } catch {
                    throw SystemError("chmod", error.errno)
                }
                let file = UnixSocketFile(path: path, mode: mode, status: try Self.status(path))
                try ListenQueue.open(on: descriptor)
                return (descriptor, file)
            } catch {
                close(descriptor)
                throw error
            }
        } catch {
            throw refusal(path, error)
        }
    }

    /// Listens again at the same path with the same mode, for example after the file was removed.
    public func listenAgain() throws(UnixSocketError) -> (descriptor: Int32, file: UnixSocketFile) {
        try Self.listen(at: path, mode: mode)
    }

    /// Whether the file was removed or replaced.
    ///
    /// Use this only while the socket is open, because another file can get the same inode number later.
    public var isGone: Bool {
        guard let now = try? FileStatus(path: path) else { return true }
        return now.device != status.device || now.inode != status.inode
    }

    /// Removes the file if it has not been replaced.
    public func remove() {
        if (try? FileStatus(path: path)) == status { unlink(path) }
    }

    private static func removeStale(_ path: String) throws(UnixSocketError) {
        guard let status = try? FileStatus(path: path) else { return }
        guard status.kind == .socket else {
            throw UnixSocketError(
                code: .notASocket,
                path: path,
                reason: "the path is not a socket; remove the file or choose another path"
            )
        }
        switch Result(catching: { () throws(SystemError) in try PeerCredentials(listeningAt: path) }) {
        case .success(let holder):
            throw UnixSocketError(code: .inUse, path: path, reason: "process \(holder.pid) is already listening")
        case .failure(let error) where error.code == EAGAIN:
            throw UnixSocketError(
                code: .inUse,
                path: path,
                reason: "another process is already listening but accepts no connections"
            )
        case .failure(let error) where error.code == ECONNREFUSED:
            guard unlink(path) == 0 else { throw refusal(path, SystemError("unlink", errno)) }
        case .failure(let error):
            throw refusal(path, error)
        }
    }

    private static func status(_ path: String) throws(SystemError) -> FileStatus {
        do throws(FileError) {
            return try FileStatus(path: path)
        } catch {
            throw SystemError("lstat", error.errno)
        }
    }

    private static func refusal(_ path: String, _ error: SystemError) -> UnixSocketError {
        UnixSocketError(code: .refused, path: path, reason: error.description)
    }
}

/// The reason why a process cannot listen on a Unix socket.
public struct UnixSocketError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The reasons that callers distinguish.
    public enum Code: Hashable, Sendable {
        case inUse
        case notASocket
        case refused
    }

    /// The reason as a code.
    public let code: Code
    /// The path of the socket.
    public let path: String
    /// The reason in words, including the id of the process that is already listening, if the kernel reports it.
    public let reason: String

    /// A sentence with the path and the reason.
    public var description: String { "cannot listen on \(path): \(reason)" }
}

/// The queue of a listening socket, which contains the connections that have not been accepted yet.
public enum ListenQueue {
    /// The maximum number of waiting connections per socket.
    public static let length: Int32 = 512

    /// Starts listening on a bound socket, or changes the queue length of a listening socket (`listen(2)`).
    ///
    /// When SwiftNIO adopts a listening socket, it sets the queue length to 128. Call this method again afterwards.
    public static func open(on descriptor: Int32) throws(SystemError) {
        guard listen(descriptor, length) == 0 else { throw SystemError("listen", errno) }
    }
}
