import Files
import Foundation
import Glibc
public import Moments
import OAuth

/// A folder that mails are written into, one RFC 5322 file each: for another program that sends them, or for development.
///
/// A file appears whole or not at all, and nobody else can read it.
public struct MailFolder: Sendable {
    /// The most files that the folder may hold.
    public static let maximumFiles = 10_000

    /// The folder.
    public let directory: String
    private let capacity: Int

    /// Makes the folder, mode 0700, or takes the one that is there if it is private.
    ///
    /// - Parameter directory: Its path; the folder above it must exist.
    /// - Throws: ``MailError`` if it cannot be made, is no folder, or others may read it.
    public init(directory: String) throws(MailError) {
        try self.init(directory: directory, capacity: Self.maximumFiles)
    }

    init(directory: String, capacity: Int) throws(MailError) {
        self.directory = directory
        self.capacity = capacity
        if mkdir(directory, 0o700) != 0, errno != EEXIST {
            throw .unusable("the outbox \(directory) cannot be made: \(Self.reason(errno))")
        }
        guard let status = try? FileStatus(path: directory) else {
            throw .unusable("the outbox \(directory) cannot be looked at: \(Self.reason(errno))")
        }
        guard status.kind == .directory else { throw .unusable("the outbox \(directory) is no folder") }
        guard status.owner == geteuid(), !status.isOpenToOthers else {
            throw .unusable("the outbox \(directory) can be read by others; chmod 700 \(directory)")
        }
    }

    /// Writes a mail into a file of its own, mode 0600, and makes it durable.
    ///
    /// - Parameters:
    ///   - mail: The mail.
    ///   - now: The time of writing.
    /// - Returns: The path of the file.
    /// - Throws: ``MailError``, `full` if the folder holds as many files as it may.
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
            throw .unusable("a mail cannot be put into the outbox \(directory): \(why)")
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
            throw .full("the outbox \(directory) holds \(names.count) mails, as many as it may; remove some")
        }
    }

    private func write(_ bytes: [UInt8], to path: String) throws(MailError) {
        let file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard file >= 0 else {
            throw .unusable("a mail cannot be written into the outbox \(directory): \(Self.reason(errno))")
        }
        defer { close(file) }
        let code = StandardStreams.write(bytes, to: file)
        guard code == 0 else { throw failedWrite(code, path) }
        guard fsync(file) == 0 else { throw failedWrite(errno, path) }
    }

    private func failedWrite(_ code: Int32, _ path: String) -> MailError {
        unlink(path)
        let why = "a mail cannot be written into the outbox \(directory): \(Self.reason(code))"
        return code == ENOSPC || code == EDQUOT ? .full(why) : .unusable(why)
    }

    private static func reason(_ code: Int32) -> String { String(cString: strerror(code)) }
}
