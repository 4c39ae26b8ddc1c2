import CLinux
import Glibc

/// The status of a file.
///
/// This type replaces Glibc's `stat`, which belongs to a different module if the binary is linked statically.
public struct FileStatus: Hashable, Sendable {
    /// The kinds of files that callers distinguish.
    public enum Kind: Hashable, Sendable {
        case file
        case directory
        case socket
        /// Any other kind, including symbolic links.
        case other
    }

    /// The kind of file.
    public let kind: Kind
    /// The uid of the owner.
    public let owner: UInt32
    /// The permission bits, from 0 to 0o7777.
    public let mode: UInt32
    /// The id of the device that contains the file.
    public let device: UInt64
    /// The file's inode number, which is unique only within the ``device``.
    public let inode: UInt64
    /// The time of the last status change (`ctime`) in nanoseconds since 1970 UTC, which reveals reused inode numbers.
    public let changed: Int64
    /// The size in bytes.
    public let size: Int64

    /// Reads the status of `path` itself, without following a symbolic link.
    public init(path: String) throws(FileError) {
        var status = clinux_file()
        try Self.check(clinux_file_status(path, &status))
        self.init(status)
    }

    /// Reads the status of the file that an open descriptor refers to.
    public init(descriptor: Int32) throws(FileError) {
        var status = clinux_file()
        try Self.check(clinux_descriptor_status(descriptor, &status))
        self.init(status)
    }

    /// Reads the status of the file at `path`, following symbolic links, without blocking on a named pipe.
    public init(readable path: String) throws(FileError) {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw FileError(errno: Glibc.errno) }
        defer { close(descriptor) }
        try self.init(descriptor: descriptor)
    }

    /// Whether the file's group or other users have any permissions on the file.
    public var isOpenToOthers: Bool { mode & 0o077 != 0 }

    /// Changes a file's permission bits, or throws `ELOOP` if it is a symbolic link or not of the given kind.
    public static func changeMode(of path: String, to mode: UInt32, ofKind kind: Kind) throws(FileError) {
        let kind: clinux_kind =
            switch kind {
            case .file: clinux_kind_file
            case .directory: clinux_kind_directory
            case .socket: clinux_kind_socket
            case .other: clinux_kind_other
            }
        try check(clinux_change_mode(path, mode, kind))
    }

    private init(_ status: clinux_file) {
        kind =
            switch status.kind {
            case clinux_kind_file: .file
            case clinux_kind_directory: .directory
            case clinux_kind_socket: .socket
            default: .other
            }
        owner = status.owner
        mode = status.mode
        device = status.device
        inode = status.inode
        changed = status.changed_ns
        size = status.size
    }

    private static func check(_ code: Int32) throws(FileError) {
        if code != 0 { throw FileError(errno: code) }
    }
}

/// A failed system call on a file.
public struct FileError: Error, Hashable, Sendable {
    /// The error number (`errno(3)`).
    public let errno: Int32
    /// The description of the error number (`strerror(3)`).
    public var reason: String { String(cString: strerror(errno)) }

    /// Creates an error from an error number.
    public init(errno: Int32) {
        self.errno = errno
    }
}
