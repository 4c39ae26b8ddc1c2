import Files
import Foundation
import Glibc
public import Moments
import OAuth

/// A private folder that stores each complete message as an RFC 5322 file, for another program to send or show.
public struct MailFolder: Sendable {
    /// The maximum number of files in the folder.
    public static let maximumFiles = 10_000

    /// The path of the folder.
    public let directory: String
    private let capacity: Int

    /// Creates the folder with mode 0700 in an existing folder, or uses an existing private folder.
    ///
    /// - Throws: ``MailError`` if the folder cannot be created or other users can access it.
    public init(directory: String) throws(MailError) {
        try self.init(directory: directory, capacity: Self.maximumFiles)
    }

    init(directory: String, capacity: Int) throws(MailError) {
        self.directory = directory
        self.capacity = capacity
        if mkdir(directory, 0o700) != 0, errno != EEXIST {
            throw .unusable("the outbox \(directory) cannot be created: \(Self.reason(errno))")
        }
        guard let status = try? FileStatus(path: directory) else {
            throw .unusable("the outbox \(directory) cannot be inspected: \(Self.reason(errno))")
        }
        guard status.kind == .directory else { throw .unusable("the outbox \(directory) is not a folder") }
        guard status.owner == geteuid(), !status.isOpenToOthers else {
            throw .unusable("the outbox \(directory) is readable by other users; run chmod 700 \(directory)")
        }
    }

    /// Writes a message to a new file with mode 0600, syncs the file to disk, and returns its path.
    ///
    /// - Throws: ``MailError``, with code `full` if the disk is full or the folder has the maximum number of files.
    @discardableResult
    public func deliver(_ mail: Mail, now: Moment) throws(MailError) -> String {
        try requireRoom()
        let unique = String(UInt64.random(in: .min ... .max), radix: 36)
        let id = "\(now.wall)-\(unique)"
        let temporary = "\(directory)/.\(id).tmp"
        let final = "\(directory)/\(id).eml"
        try write(Array(mail.message(date: now.date, id: id).revealBytes()), to: temporary)
        guard rename(temporary, final) == 0 else {
            let why = Self.reason(errno)
            unlink(temporary)
            throw .unusable("a message cannot be moved to the outbox \(directory): \(why)")
        }
        let folder = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        if folder >= 0 {
            fsync(folder)
            close(folder)
        }
        return final
    }

    private func requireRoom() throws(MailError) {
        guard let names = try? FileManager.default.contentsOfDirectory(atPath: directory) else {
            throw .unusable("the outbox \(directory) cannot be read: \(Self.reason(errno))")
        }
        guard names.count < capacity else {
            throw .full("the outbox \(directory) contains \(names.count) messages, the maximum; remove some")
        }
    }

    private func write(_ bytes: [UInt8], to path: String) throws(MailError) {
        let file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard file >= 0 else {
            throw .unusable("a message cannot be written to the outbox \(directory): \(Self.reason(errno))")
        }
        defer { close(file) }
        let code = StandardStreams.write(bytes, to: file)
        guard code == 0 else { throw failedWrite(code, path) }
        guard fsync(file) == 0 else { throw failedWrite(errno, path) }
    }

    private func failedWrite(_ code: Int32, _ path: String) -> MailError {
        unlink(path)
        let why = "a message cannot be written to the outbox \(directory): \(Self.reason(code))"
        return code == ENOSPC || code == EDQUOT ? .full(why) : .unusable(why)
    }

    private static func reason(_ code: Int32) -> String { String(cString: strerror(code)) }
}
