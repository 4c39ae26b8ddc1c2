import Files
import Foundation
import Glibc
public import OAuth

/// A file that contains a password on one line.
public struct PasswordFile: Hashable, Sendable, Codable {
    /// The maximum length of a password, in bytes.
    static let longest = 1024

    /// An error that occurred while reading the password.
    ///
    /// Its description contains no part of the password.
    public struct Fault: Error, Hashable, Sendable, CustomStringConvertible {
        /// The path and what is wrong with the file.
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
            // In the service manager's private folder, an access control list appears as a group permission.
            let open: UInt32 = path.hasPrefix("/run/credentials/") ? 0o007 : 0o077
            guard status.mode & open == 0 else {
                return "can be read by others, its mode must be 0600; run: chmod 600 \(path)"
            }
            return nil
        } catch {
            // A file in a folder that this process cannot enter is not a problem, because only the daemon needs access
            // to it.
            return error.errno == EACCES ? nil : "cannot be read"
        }
    }

    /// Reads the password.
    ///
    /// The file must belong to this process's user or to root.
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
        guard (1...Self.longest).contains(password.count), password.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else {
            throw Fault(description: "\(path) must contain a password of at most \(Self.longest) bytes on one line")
        }
        return Secret(bytes: password)
    }
}
