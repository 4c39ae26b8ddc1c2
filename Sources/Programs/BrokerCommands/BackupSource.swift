import Files
import FlowModel
import Glibc
import Terminal

/// The copy that the daemon has written, opened without trust in the path that it names.
///
/// Root reads and removes this file. A daemon that lies could name any file of the machine, or change a part of the path between
/// two looks, so folder and file are looked at by descriptor: both belong to the daemon's user, and nobody else enters the folder.
struct BackupSource {
    /// The file, open for reading.
    let descriptor: Int32
    private let folder: Int32
    private let name: String

    /// Opens what the daemon has written.
    ///
    /// - Parameters:
    ///   - path: The path that the daemon names.
    ///   - owner: The uid that the daemon's files belong to.
    /// - Throws: A refusal where the file cannot be read, or is not a private file of the daemon's user.
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

    /// Removes the file from the folder that was looked at.
    func remove() { unlinkat(folder, name, 0) }

    /// Closes file and folder.
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
