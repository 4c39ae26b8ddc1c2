import Files
import Foundation
import Glibc
public import OAuth

/// A file that contains a password on one line.
public struct PasswordFile: Hashable, Sendable, Codable {
    /// The maximum length of a password, in bytes.
    static let longest = 1024

    /// An error that occurred while reading the password, without any part of the password.
    public struct Fault: Error, Hashable, Sendable, CustomStringConvertible {
        /// The path of the file, and a description of the problem.
        public let description: String

        /// Creates an error with a description.
        public init(description: String) { self.description = description }
    }

    /// The path of the file.
    public let path: String

    /// Creates a reference to a file, without reading it.
    public init(path: String) { self.path = path }

    /// The problem with the file's type or permissions, or `nil` if there is none.
    public var fault: String? {
        do throws(FileError) {
            let status = try FileStatus(path: path)
            guard status.kind == .file else { return "is not a file" }
            // systemd grants access to a credential by an access control list, which appears as a group permission.
            let open: UInt32 = path.hasPrefix("/run/credentials/") ? 0o007 : 0o077
            guard status.mode & open == 0 else {
                return "can be read by others, its mode must be 0600; run: chmod 600 \(path)"
            }
            return nil
        } catch {
            // Report no problem if this process may not enter the folder, because only the daemon must read the file.
            return error.errno == EACCES ? nil : "cannot be read"
        }
    }

    /// The problem with a secret file in PEM, or `nil` if there is none.
    public var pemFault: String? { fault ?? Self.markFault(ofPEM: path) }

    /// Returns the problem with the encoding of a file in PEM, or `nil` if there is none or the file cannot be read.
    ///
    /// PEM permits carriage returns and blanks (RFC 7468 §2), but no byte order mark.
    public static func markFault(ofPEM path: String) -> String? {
        let start = FileHandle(forReadingAtPath: path).flatMap { try? $0.read(upToCount: 4) } ?? Data()
        let addition = SecretAddition(in: start)
        return addition == .byteOrderMark || addition == .otherEncoding ? addition?.description : nil
    }

    /// Checks the file, and also its content if this process may read it.
    public func check() throws(Fault) {
        if let fault { throw Fault(description: "\(path) \(fault)") }
        if access(path, R_OK) == 0 { _ = try content() }
    }

    /// Reads the password from the file, which must belong to this process's user or to root.
    public func read() throws(Fault) -> Secret {
        let content = try content()
        guard let status = try? FileStatus(path: path) else { throw Fault(description: "\(path) cannot be read") }
        guard status.owner == geteuid() || status.owner == 0 else {
            throw Fault(description: "\(path) belongs to uid \(status.owner), not to uid \(geteuid())")
        }
        return content
    }

    /// Reads the password from the file, regardless of the file's owner.
    public func content() throws(Fault) -> Secret {
        if let fault { throw Fault(description: "\(path) \(fault)") }
        guard let bytes = FileManager.default.contents(atPath: path) else {
            throw Fault(description: "\(path) cannot be read")
        }
        let password = bytes.last == 0x0A ? bytes.dropLast() : bytes
        if let addition = SecretAddition(in: password) { throw Fault(description: "\(path) \(addition)") }
        guard (1...Self.longest).contains(password.count), password.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else {
            throw Fault(description: "\(path) must contain a password of at most \(Self.longest) bytes on one line")
        }
        return Secret(bytes: password)
    }
}
