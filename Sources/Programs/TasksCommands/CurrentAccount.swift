import FlowModel
import Foundation
import Glibc
import Terminal

/// The account that most recently signed in or was selected with `tasks use`.
struct CurrentAccount: Sendable {
    /// The maximum size of the file in bytes, above which it is ignored.
    private static let limit = 256
    private let folder: String
    private var file: String { folder + "/current-account" }

    init(dataDirectory: String) {
        folder = dataDirectory
    }

    var id: String? {
        guard let data = FileManager.default.contents(atPath: file), data.count <= Self.limit,
            let text = String(data: data, encoding: .utf8)?.trimmingCharacters(in: .whitespacesAndNewlines)
        else { return nil }
        return text.isEmpty ? nil : text
    }

    /// Whether an account has ever been stored, even if it has been removed since.
    var wasSignedIn: Bool { FileManager.default.fileExists(atPath: folder) }

    func set(_ id: String) throws(CommandFailure) {
        do {
            try FileManager.default.createDirectory(
                atPath: folder,
                withIntermediateDirectories: true,
                attributes: [.posixPermissions: 0o700]
            )
        } catch {
            throw failure(error.localizedDescription)
        }
        let draft = "\(file).\(getpid())"
        let descriptor = open(draft, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw failure(String(cString: strerror(errno))) }
        let bytes = Array("\(id)\n".utf8)
        let isWritten = write(descriptor, bytes, bytes.count) == bytes.count && fsync(descriptor) == 0
        let code = errno
        close(descriptor)
        guard isWritten, rename(draft, file) == 0 else {
            unlink(draft)
            throw failure(String(cString: strerror(isWritten ? errno : code)))
        }
    }

    func clear() {
        unlink(file)
    }

    private func failure(_ reason: String) -> CommandFailure {
        .storageFailed(Text("failure.cannotWrite", ["path": file, "reason": reason]))
    }
}
