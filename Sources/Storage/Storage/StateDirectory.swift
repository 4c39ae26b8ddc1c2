import Files
public import Foundation
import Glibc

/// A folder that nobody but its owner can look into, and the making of private files in it.
public struct StateDirectory: Hashable, Sendable {
    /// The folder's path.
    public let path: String

    /// Makes the folder with mode 0700, or checks the one that is there.
    ///
    /// - Parameter path: The folder; the one above must exist or be makeable.
    /// - Throws: `permissions` if others can look into it or somebody else owns it, `readOnly`, `full`, `unreadable`.
    public init(_ path: String) throws(StoreError) {
        self.path = path
        if access(path, F_OK) != 0, errno == ENOENT { try Self.make(path) }
        let status = try Self.reading(path) { () throws(FileError) in try FileStatus(path: path) }
        guard status.kind == .directory else { throw StoreError(.unreadable, .notADirectory(path)) }
        try Self.checkOwn(status, path, .openDirectory(path))
        // Files that are there can be written in it all the same, and the first one that is not would fail much later.
        guard access(path, W_OK | X_OK) == 0 else { throw .fromErrno(errno) { .cannotWriteIn(path, why: $0) } }
    }

    /// The path of an entry.
    public func path(_ name: String) -> String { path.hasSuffix("/") ? path + name : "\(path)/\(name)" }

    /// Makes `name` with mode 0600 before its first byte, or checks the file that is there.
    ///
    /// - Returns: Whether the file is new.
    @discardableResult
    public func preparePrivateFile(_ name: String) throws(StoreError) -> Bool {
        let path = path(name)
        let made = open(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        if made >= 0 {
            defer { close(made) }
            // The umask may have taken bits away, never added any.
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

    /// Reads the private file `name`; nil if there is none.
    ///
    /// - Parameters:
    ///   - name: The entry.
    ///   - limit: The greatest number of bytes it may have.
    /// - Returns: The bytes.
    /// - Throws: `permissions` if others can read it, or what kept it from being read.
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

    /// Makes the private file `name` with `bytes`, whole or not at all, and durably.
    ///
    /// - Throws: `conflict` if the file is there.
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
        // A link fails where a rename would replace, so that of two starts at once one wins and both read the same.
        guard link(draft, path) == 0 else {
            if errno == EEXIST { throw StoreError(.conflict, .exists(path)) }
            throw .fromErrno(errno) { .cannotMake(path, why: $0) }
        }
        try synchronize()
    }

    /// Removes the private file `name`, durably; nothing happens if there is none.
    public func removePrivateFile(_ name: String) throws(StoreError) {
        let path = path(name)
        guard unlink(path) == 0 else {
            if errno == ENOENT { return }
            throw .fromErrno(errno) { .cannotRemove(path, why: $0) }
        }
        try synchronize()
    }

    /// Makes the folder's entries durable.
    public func synchronize() throws(StoreError) { try Self.synchronize(path, O_DIRECTORY) }

    /// Makes what the private file `name` holds durable.
    public func synchronize(file name: String) throws(StoreError) { try Self.synchronize(path(name), O_NOFOLLOW) }

    private static func synchronize(_ path: String, _ flag: CInt) throws(StoreError) {
        let file = open(path, O_RDONLY | flag | O_CLOEXEC)
        guard file >= 0 else { throw .fromErrno(errno) { .cannotOpen(path, why: $0) } }
        defer { close(file) }
        guard fsync(file) == 0 else { throw .fromErrno(errno) { .cannotWrite(path, why: $0) } }
    }

    /// Copies what an open file holds into the new private file `name`, durably.
    ///
    /// - Parameters:
    ///   - source: An open file, read from its beginning to its end.
    ///   - name: The file; it must not be there.
    /// - Throws: `conflict` if it is there, or what kept it from being written; nothing is left of it then.
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

    /// Refuses what another user owns, and for the reason `open` what others can read.
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
