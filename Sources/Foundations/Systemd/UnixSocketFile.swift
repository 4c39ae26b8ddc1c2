import Files
import Glibc

/// The file of a Unix socket that this process made; another process's is neither replaced nor removed.
public struct UnixSocketFile: Hashable, Sendable {
    /// The path of the file.
    public let path: String
    private let mode: UInt32
    private let status: FileStatus

    /// Listens at `path`: the file has its mode before a process can connect.
    ///
    /// A file left by a process that has ended is replaced. One at which a process answers is not, nor is any other kind of
    /// file.
    ///
    /// - Parameters:
    ///   - path: At most 107 bytes.
    ///   - mode: The permission bits of the file, whatever the umask is.
    /// - Returns: The listening descriptor, which the caller closes, and its file, which the caller removes.
    /// - Throws: ``UnixSocketError``.
    public static func listen(
        at path: String,
        mode: UInt32
    ) throws(UnixSocketError) -> (descriptor: Int32, file: UnixSocketFile) {
        try removeStale(path)
        do throws(SystemError) {
            let address = try UnixAddress(path)
            let descriptor = try UnixAddress.makeSocket()
            do throws(SystemError) {
                // Before `bind`, so that the mode is never wider than asked for; the umask may take more away.
                guard fchmod(descriptor, mode) == 0 else { throw SystemError("fchmod", errno) }
                try address.bind(descriptor)
                // A user who can write in the folder may have put a link there since.
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

    /// Listens at the same path with the same mode again, as after the file was removed.
    ///
    /// - Throws: ``UnixSocketError``.
    public func listenAgain() throws(UnixSocketError) -> (descriptor: Int32, file: UnixSocketFile) {
        try Self.listen(at: path, mode: mode)
    }

    /// True if the file is missing or another one; its inode number is not reused while the socket is open.
    public var isGone: Bool {
        guard let now = try? FileStatus(path: path) else { return true }
        return now.device != status.device || now.inode != status.inode
    }

    /// Removes the file, if it is still this one.
    public func remove() {
        if (try? FileStatus(path: path)) == status { unlink(path) }
    }

    private static func removeStale(_ path: String) throws(UnixSocketError) {
        guard let status = try? FileStatus(path: path) else { return }
        guard status.kind == .socket else {
            throw UnixSocketError(
                code: .notASocket,
                path: path,
                reason: "the path holds something that is not a socket; remove it or name another path"
            )
        }
        switch Result(catching: { () throws(SystemError) in try PeerCredentials(listeningAt: path) }) {
        case .success(let holder):
            throw UnixSocketError(code: .inUse, path: path, reason: "process \(holder.pid) holds it")
        case .failure(let error) where error.code == EAGAIN:
            throw UnixSocketError(code: .inUse, path: path, reason: "another process holds it and accepts nothing")
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

/// The obstacle to listening at the path of a Unix socket.
public struct UnixSocketError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The obstacles that callers tell apart.
    public enum Code: Hashable, Sendable {
        /// Another process listens there.
        case inUse
        /// The path holds a file that is not a socket.
        case notASocket
        /// The kernel refused.
        case refused
    }

    /// The obstacle.
    public let code: Code
    /// The path at which to listen.
    public let path: String
    /// The obstacle in words; names the process that listens there if the kernel does.
    public let reason: String

    /// The path and the reason in one sentence.
    public var description: String { "cannot listen on \(path): \(reason)" }
}

/// The queue of a listening socket: connections that wait to be accepted.
public enum ListenQueue {
    /// The most connections that wait at each of our sockets.
    public static let length: Int32 = 512

    /// Listens at a bound socket, or changes the queue of one that listens already (`listen(2)`).
    ///
    /// SwiftNIO gives a socket that it takes over a queue of 128, so a server opens its own again afterwards.
    ///
    /// - Throws: The failure of `listen(2)`.
    public static func open(on descriptor: Int32) throws(SystemError) {
        guard listen(descriptor, length) == 0 else { throw SystemError("listen", errno) }
    }
}
