import CLinux
import Glibc

/// Status of a file: kind, owner, mode.
///
/// Glibc's `stat` belongs to another module where the standard library is linked statically; this is the same in both.
public struct FileStatus: Hashable, Sendable {
    /// The kinds that matter here.
    public enum Kind: Hashable, Sendable {
        /// A regular file.
        case file
        /// A directory.
        case directory
        /// A socket.
        case socket
        /// Anything else, symbolic links among it.
        case other
    }

    /// Kind of the file.
    public let kind: Kind
    /// The uid it belongs to.
    public let owner: UInt32
    /// The permission bits, 0 to 0o7777.
    public let mode: UInt32
    /// The device it is on.
    public let device: UInt64
    /// Its number there.
    public let inode: UInt64
    /// Time of the last change in nanoseconds since 1970 UTC; tells files apart that had one inode after the other.
    public let changed: Int64
    /// Size in bytes.
    public let size: Int64

    /// Looks at `path` itself, not at what a symbolic link names.
    ///
    /// - Throws: The error number.
    public init(path: String) throws(FileError) {
        var status = clinux_file()
        try Self.check(clinux_file_status(path, &status))
        self.init(status)
    }

    /// Looks at what an open descriptor leads to.
    ///
    /// - Throws: The error number.
    public init(descriptor: Int32) throws(FileError) {
        var status = clinux_file()
        try Self.check(clinux_descriptor_status(descriptor, &status))
        self.init(status)
    }

    /// Looks at what can be read at `path`, behind symbolic links, without waiting for a writer of a named pipe.
    ///
    /// - Throws: The error number.
    public init(readable path: String) throws(FileError) {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw FileError(errno: Glibc.errno) }
        defer { close(descriptor) }
        try self.init(descriptor: descriptor)
    }

    /// True if others than the owner may read, write or enter it.
    public var isOpenToOthers: Bool { mode & 0o077 != 0 }

    /// Changes the permission bits of a file.
    ///
    /// - Parameters:
    ///   - path: The file; a symbolic link is not followed.
    ///   - mode: The permission bits.
    ///   - kind: The kind of the file; one of another kind is left alone.
    /// - Throws: The error number; `ELOOP` for a file of another kind.
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

/// Failure of looking at a file.
public struct FileError: Error, Hashable, Sendable {
    /// The error number, as `errno(3)` has it.
    public let errno: Int32
    /// A few words about it, as `strerror(3)` has them.
    public var reason: String { String(cString: strerror(errno)) }

    /// An error number.
    public init(errno: Int32) {
        self.errno = errno
    }
}
