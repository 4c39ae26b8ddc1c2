import Files
import Foundation
import Glibc
public import OAuth

/// A file with a password on one line.
public struct PasswordFile: Hashable, Sendable, Codable {
    /// Bytes that a password may have.
    static let longest = 1024

    /// Failure of reading the password; says nothing of the password itself.
    public struct Fault: Error, Hashable, Sendable, CustomStringConvertible {
        /// The path and what is wrong with it.
        public let description: String

        /// A failure with these words.
        public init(description: String) { self.description = description }
    }

    /// Its path.
    public let path: String

    /// A file at a path, which is not read yet.
    public init(path: String) { self.path = path }

    /// Fault that is visible without reading the file; nil if there is none.
    public var fault: String? {
        do throws(FileError) {
            let status = try FileStatus(path: path)
            guard status.kind == .file else { return "is not a file" }
            // The service manager's folder is private, and an access list there shows as the group's permission.
            let open: UInt32 = path.hasPrefix("/run/credentials/") ? 0o007 : 0o077
            guard status.mode & open == 0 else {
                return "can be read by others, its mode must be 0600; run: chmod 600 \(path)"
            }
            return nil
        } catch {
            // A folder that only the daemon may enter is no fault.
            return error.errno == EACCES ? nil : "cannot be read"
        }
    }

    /// Reads the password from a file of ours or of root.
    ///
    /// - Throws: The problem, if it cannot be read.
    public func read() throws(Fault) -> Secret {
        let content = try content()
        guard let status = try? FileStatus(path: path) else { throw Fault(description: "\(path) cannot be read") }
        guard status.owner == geteuid() || status.owner == 0 else {
            throw Fault(description: "\(path) belongs to uid \(status.owner), not to uid \(geteuid())")
        }
        return content
    }

    /// Reads the one line of the file, whoever it belongs to.
    ///
    /// - Throws: The problem, if it cannot be read.
    public func content() throws(Fault) -> Secret {
        if let fault { throw Fault(description: "\(path) \(fault)") }
        guard let bytes = FileManager.default.contents(atPath: path) else {
            throw Fault(description: "\(path) cannot be read")
        }
        let password = bytes.last == 0x0A ? bytes.dropLast() : bytes
        guard (1...Self.longest).contains(password.count), password.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else {
            throw Fault(description: "\(path) must hold a password of at most \(Self.longest) bytes on one line")
        }
        return Secret(bytes: password)
    }
}
