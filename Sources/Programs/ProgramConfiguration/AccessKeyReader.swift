import Files
import Foundation
import OAuth
import StrictYAML

/// Reads the application key or master key of the tasks API, and never reports any part of the key.
struct AccessKeyReader {
    /// The permitted length of a key in characters, with a minimum that makes keys hard to guess.
    static let length = 16...256

    let folder: String
    /// The path of the service-manager credential that contains the key, or `nil` if there is none.
    let credential: String?

    /// Reads the key from the file that `value` specifies or, if `value` specifies no file, from the credential.
    func read(_ value: YAMLValue, _ name: String, problems: inout [Problem]) -> Secret? {
        let path: String
        if let text = value.textUnlessNone, !text.isEmpty {
            path = value.path(from: folder)
        } else if let credential {
            path = credential
        } else {
            return nil
        }
        func refuse(_ what: String) -> Secret? {
            problems.append(value.problem("`\(name)`: \(path) \(what)"))
            return nil
        }
        let status: FileStatus
        do throws(FileError) {
            status = try FileStatus(path: path)
        } catch {
            return refuse("cannot be read")
        }
        guard status.kind == .file else { return refuse("is not a file") }
        guard status.owner == geteuid() || status.owner == 0 else { return refuse("belongs to another user") }
        // The service manager's folder is private, but an access control list can give its files group permissions.
        guard path == credential ? status.mode & 0o007 == 0 : !status.isOpenToOthers else {
            return refuse("can be read by others, its mode must be 0600; run: chmod 600 \(path)")
        }
        guard let bytes = FileManager.default.contents(atPath: path) else { return refuse("cannot be read") }
        let key = bytes.last == 0x0A ? bytes.dropLast() : bytes
        if let addition = SecretAddition(in: key) { return refuse("\(addition)") }
        guard Self.length.contains(key.count), key.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            let count = "\(Self.length.lowerBound) to \(Self.length.upperBound)"
            return refuse(
                "must hold one line of \(count) visible ASCII characters; run: openssl rand -hex 32 > \(path)"
            )
        }
        return Secret(bytes: key)
    }
}
