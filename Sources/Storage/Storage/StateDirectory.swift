import Files
public import Foundation
import Glibc

/// A directory that only its owner can access, with operations on the private files in the directory.
public struct StateDirectory: Hashable, Sendable {
    /// The path of the directory.
    public let path: String

    /// Creates the directory and missing parents with mode 0700, or checks the existing directory.
    ///
    /// - Throws: `permissions` if another user owns or can access the directory, or another error if it is unusable.
    public init(_ path: String) throws(StoreError) {
        self.path = path
        if access(path, F_OK) != 0, errno == ENOENT { try Self.make(path) }
        let status = try Self.reading(path) { () throws(FileError) in try FileStatus(path: path) }
        guard status.kind == .directory else { throw StoreError(.unreadable, .notADirectory(path)) }
        try Self.checkOwn(status, path, .openDirectory(path))
        // Without this check, a missing write permission would not appear until the first new file is created.
        guard access(path, W_OK | X_OK) == 0 else { throw .fromErrno(errno) { .cannotWriteIn(path, why: $0) } }
    }

    /// Returns the path of an entry in the directory.
    public func path(_ name: String) -> String { path.hasSuffix("/") ? path + name : "\(path)/\(name)" }

    /// Creates an empty file with mode 0600 or checks the existing file, and returns whether the file is new.
    @discardableResult
    public func preparePrivateFile(_ name: String) throws(StoreError) -> Bool {
        let path = path(name)
        let made = open(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        if made >= 0 {
            defer { close(made) }
            // The umask may have removed permissions from the mode. It never adds any.
            guard fchmod(made, 0o600) == 0 else { throw .fromErrno(errno) { .cannotMakePrivate(path, why: $0) } }
            return true
        }
        guard errno == EEXIST else { throw .fromErrno(errno) { .cannotMake(path, why: $0) } }
        let there = open(path, O_RDWR | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK)
        guard there >= 0 else { throw .fromErrno(errno) { .cannotOpen(path, why: $0) } }
        defer { close(there) }
        try Self.checkPrivate(there, path)
        return false
    }

    /// Returns the content of a private file of at most `limit` bytes, or `nil` if the file does not exist.
    ///
    /// - Throws: `permissions` if another user owns or can read the file, or another error if the file cannot be read.
    public func readPrivateFile(_ name: String, limit: Int = 4096) throws(StoreError) -> Data? {
        let path = path(name)
        let file = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK)
        guard file >= 0 else {
            if errno == ENOENT { return nil }
            throw .fromErrno(errno) { .cannotOpen(path, why: $0) }
        }
        defer { close(file) }
        try Self.checkPrivate(file, path)
        var bytes = [UInt8](repeating: 0, count: limit + 1)
        var count = 0
        while count < bytes.count {
            let got = bytes.withUnsafeMutableBytes { read(file, $0.baseAddress?.advanced(by: count), $0.count - count) }
            if got < 0 && errno == EINTR { continue }
            guard got >= 0 else { throw .fromErrno(errno) { .cannotRead(path, why: $0) } }
            if got == 0 { break }
            count += got
        }
        guard count <= limit else { throw StoreError(.unreadable, .tooManyBytes(path, most: limit)) }
        return Data(bytes[..<count])
    }

    /// Creates a private file atomically, and waits until the file is on disk.
    ///
    /// - Throws: `conflict` if the file exists.
    public func makePrivateFile(_ name: String, _ bytes: some Sequence<UInt8>) throws(StoreError) {
        let path = path(name)
        let draft = path + ".\(getpid()).new"
        unlink(draft)
        let file = open(draft, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw .fromErrno(errno) { .cannotMake(path, why: $0) } }
        defer {
            close(file)
            unlink(draft)
        }
        var rest = Array(bytes)[...]
        while !rest.isEmpty {
            let put = rest.withUnsafeBytes { write(file, $0.baseAddress, $0.count) }
            if put < 0 && errno == EINTR { continue }
            guard put > 0 else { throw .fromErrno(errno) { .cannotWrite(path, why: $0) } }
            rest = rest.dropFirst(put)
        }
        guard fsync(file) == 0 else { throw .fromErrno(errno) { .cannotWrite(path, why: $0) } }
        // If the file exists, linking fails, so the first of two processes creates the file and both read it.
        guard link(draft, path) == 0 else {
            if errno == EEXIST { throw StoreError(.conflict, .exists(path)) }
            throw .fromErrno(errno) { .cannotMake(path, why: $0) }
        }
        try synchronize()
    }

    /// Removes a private file if it exists, and waits until the removal is on disk.
    public func removePrivateFile(_ name: String) throws(StoreError) {
        let path = path(name)
        guard unlink(path) == 0 else {
            if errno == ENOENT { return }
            throw .fromErrno(errno) { .cannotRemove(path, why: $0) }
        }
        try synchronize()
    }

    /// Waits until the entries of the directory are on disk.
    public func synchronize() throws(StoreError) { try Self.synchronize(path, O_DIRECTORY) }

    /// Waits until the content of the private file `name` is on disk.
    public func synchronize(file name: String) throws(StoreError) { try Self.synchronize(path(name), O_NOFOLLOW) }

    private static func synchronize(_ path: String, _ flag: CInt) throws(StoreError) {
        let file = open(path, O_RDONLY | flag | O_CLOEXEC)
        guard file >= 0 else { throw .fromErrno(errno) { .cannotOpen(path, why: $0) } }
        defer { close(file) }
        guard fsync(file) == 0 else { throw .fromErrno(errno) { .cannotWrite(path, why: $0) } }
    }

    /// Copies an open file, from its start, into a new private file, and waits until the copy is on disk.
    ///
    /// - Throws: `conflict` if the new file already exists, or another error if the copy fails and is removed.
    public func copy(from source: CInt, to name: String) throws(StoreError) {
        let path = path(name)
        guard try preparePrivateFile(name) else { throw StoreError(.conflict, .exists(path)) }
        let target = open(path, O_WRONLY | O_NOFOLLOW | O_CLOEXEC)
        guard target >= 0 else { throw .fromErrno(errno) { .cannotOpen(path, why: $0) } }
        defer { close(target) }
        do throws(StoreError) {
            do throws(FileError) {
                try FileCopy.copy(from: source, to: target)
            } catch {
                throw .fromErrno(error.errno) { .cannotWrite(path, why: $0) }
            }
            try synchronize()
        } catch {
            unlink(path)
            throw error
        }
    }

    private static func make(_ path: String) throws(StoreError) {
        let above = (path as NSString).deletingLastPathComponent
        if !above.isEmpty, access(above, F_OK) != 0 { try make(above) }
        guard mkdir(path, 0o700) == 0 || errno == EEXIST else { throw .fromErrno(errno) { .cannotMake(path, why: $0) } }
    }

    private static func checkPrivate(_ file: CInt, _ path: String) throws(StoreError) {
        let status = try reading(path) { () throws(FileError) in try FileStatus(descriptor: file) }
        guard status.kind == .file else { throw StoreError(.unreadable, .notAFile(path)) }
        try checkOwn(status, path, .openFile(path))
    }

    /// Rejects a file that another user owns, or, with the reason `open`, a file that other users can read.
    private static func checkOwn(
        _ status: FileStatus,
        _ path: String,
        _ open: StoreError.Reason
    ) throws(StoreError) {
        guard status.owner == geteuid() else {
            throw StoreError(.permissions, .foreignOwner(path, owner: status.owner, uid: geteuid()))
        }
        guard !status.isOpenToOthers else { throw StoreError(.permissions, open) }
    }

    private static func reading(
        _ path: String,
        _ look: () throws(FileError) -> FileStatus
    ) throws(StoreError) -> FileStatus {
        do {
            return try look()
        } catch {
            throw .fromErrno(error.errno) { .cannotRead(path, why: $0) }
        }
    }
}
