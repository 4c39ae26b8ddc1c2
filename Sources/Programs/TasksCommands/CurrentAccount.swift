import FlowModel
import Foundation
import Glibc
import Terminal

/// The account for commands that name none: the last that signed in, or was chosen by `use`.
struct CurrentAccount: Sendable {
    /// The longest id that is believed.
    private static let limit = 256
    private let folder: String
    private var file: String { folder + "/current-account" }

    /// The note in a data directory.
    init(dataDirectory: String) {
        folder = dataDirectory
    }

    /// The account's id; nil if there is none.
    var id: String? {
        guard let data = FileManager.default.contents(atPath: file), data.count <= Self.limit,
            let text = String(data: data, encoding: .utf8)?.trimmingCharacters(in: .whitespacesAndNewlines)
        else { return nil }
        return text.isEmpty ? nil : text
    }

    /// True if an account was ever noted here, also if it was forgotten since.
    var wasSignedIn: Bool { FileManager.default.fileExists(atPath: folder) }

    /// Notes an account; the folder and the file are private before their first byte.
    func set(_ id: String) throws(CommandFailure) {
        do {
            try FileManager.default.createDirectory(
                atPath: folder,
                withIntermediateDirectories: true,
                attributes: [.posixPermissions: 0o700]
            )
        } catch {
            throw failure(EACCES)
        }
        let draft = "\(file).\(getpid())"
        let descriptor = open(draft, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw failure(errno) }
        let bytes = Array("\(id)\n".utf8)
        let isWritten = write(descriptor, bytes, bytes.count) == bytes.count && fsync(descriptor) == 0
        let code = errno
        close(descriptor)
        guard isWritten, rename(draft, file) == 0 else {
            unlink(draft)
            throw failure(isWritten ? errno : code)
        }
    }

    /// Forgets it.
    func clear() {
        unlink(file)
    }

    private func failure(_ code: Int32) -> CommandFailure {
        .storageFailed(Text("failure.cannotWrite", ["path": file, "reason": String(cString: strerror(code))]))
    }
}
