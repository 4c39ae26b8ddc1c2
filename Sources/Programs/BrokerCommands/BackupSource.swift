import Files
import FlowModel
import Glibc
import Terminal

/// A backup file that the daemon wrote, opened without trusting the path that the daemon returned.
///
/// A malicious daemon could make root read and remove any file. The folder and the file are therefore checked through
/// their descriptors: the daemon's user must own both, and no other user may access the folder.
struct BackupSource {
    let descriptor: Int32
    private let folder: Int32
    private let name: String

    /// Opens the backup at the path that the daemon returned.
    ///
    /// - Throws: A `CommandFailure` if the backup is not a file of `owner` in a folder that only `owner` can access.
    init(_ path: String, owner: UInt32) throws(CommandFailure) {
        guard let slash = path.lastIndex(of: "/"), slash > path.startIndex, path.hasPrefix("/") else {
            throw Self.refusal(path, Text("cli.broker.notAPath"))
        }
        name = String(path[path.index(after: slash)...])
        let folder = open(String(path[..<slash]), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        guard folder >= 0 else { throw Self.unreadable(path) }
        guard let status = try? FileStatus(descriptor: folder), status.owner == owner, !status.isOpenToOthers else {
            close(folder)
            throw Self.refusal(path, Text("cli.broker.notInPrivateFolder"))
        }
        let file = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
        guard file >= 0 else {
            let failure = Self.unreadable(path)
            close(folder)
            throw failure
        }
        guard let status = try? FileStatus(descriptor: file), status.kind == .file, status.owner == owner else {
            close(file)
            close(folder)
            throw Self.refusal(path, Text("cli.broker.notDaemonsFile"))
        }
        (self.folder, descriptor) = (folder, file)
    }

    func remove() { unlinkat(folder, name, 0) }

    func end() {
        close(descriptor)
        close(folder)
    }

    private static func unreadable(_ path: String) -> CommandFailure {
        guard errno == EACCES else {
            return refusal(path, Text("cli.broker.cannotBeOpened", ["reason": String(cString: strerror(errno))]))
        }
        return CommandFailure(
            .denied,
            "not_readable",
            Text("cli.broker.backupUnreadable", ["path": path]),
            hint: Text("cli.broker.runAsDaemonsUser")
        )
    }

    private static func refusal(_ path: String, _ reason: Text) -> CommandFailure {
        CommandFailure(.denied, "not_trusted", Text("cli.broker.backupNotTrusted", ["path": path, "reason": reason]))
    }
}
