import ArgumentParser
import BrokerAPI
import BrokerClient
import Files
import FlowModel
import Glibc
import OAuth
import Terminal

/// Copies the authority's store while the daemon runs.
struct Backup: DaemonCommand {
    static let configuration = CommandConfiguration("backup", "help.broker.backup", more: "help.broker.backup.more")

    @Argument(help: .text("help.broker.backup.file"), completion: .file()) var file: String
    @OptionGroup var connection: ConnectionOptions

    func validate() throws {
        if file == "-" { throw ValidationError(Text("cli.broker.backupNeedsFile")) }
    }

    func run(_ correlation: CorrelationID) async throws {
        let (bytes, time) = try await take(correlation)
        let text = Text("cli.broker.copied", ["file": file, "bytes": bytes, "time": TimeText.utc(time)])
        let facts: JSONValue = ["path": .string(file), "bytes": .int(bytes), "at": .int(time)]
        try Output.answer(facts, text, asJSON: shared.json)
    }

    /// Writes a complete backup to `file`, or leaves no file if the backup fails.
    ///
    /// Returns the size in bytes, and the time of the newest change in milliseconds since 1970 UTC.
    private func take(_ correlation: CorrelationID) async throws -> (bytes: Int64, at: Int64) {
        let target = try PrivateFile(new: file)
        do {
            let (backup, socket) = try await connection.withBroker(correlation) { broker in
                (try await broker.call(StoreBackup()), try await broker.socketPath())
            }
            let source = try BackupSource(backup.path, owner: Self.owner(ofServerAt: socket))
            defer { source.end() }
            return (try target.take(from: source), backup.at)
        } catch {
            target.remove()
            throw error
        }
    }
}

extension Backup {
    /// Returns the daemon's uid from the socket or, if systemd opened the socket as root, from its folder.
    private static func owner(ofServerAt socket: String) throws -> UInt32 {
        let folder = socket.lastIndex(of: "/").map { String(socket[..<$0]) } ?? "."
        do {
            let owner = try FileStatus(path: socket).owner
            return owner == 0 ? try FileStatus(path: folder).owner : owner
        } catch {
            throw CommandFailure(.failed, "not_readable", Text("cli.broker.cannotLookAtSocket", ["path": socket]))
        }
    }
}

private struct PrivateFile {
    let path: String
    private let descriptor: Int32

    init(new path: String) throws {
        self.path = path
        descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            if errno == EEXIST {
                throw CommandFailure(
                    .failed,
                    "exists",
                    Text("cli.broker.isThere", ["path": path]),
                    hint: Text("cli.broker.nameAnotherFile")
                )
            }
            throw CommandFailure(
                .failed,
                "not_writable",
                Text("cli.broker.cannotMake", ["path": path, "reason": String(cString: strerror(errno))])
            )
        }
    }

    /// Moves the daemon's backup into this file, and returns the backup's size in bytes.
    func take(from source: BackupSource) throws -> Int64 {
        do {
            let bytes = try FileCopy.copy(from: source.descriptor, to: descriptor)
            close(descriptor)
            source.remove()
            return bytes
        } catch {
            throw CommandFailure(
                error.errno == ENOSPC ? .tryLater : .failed,
                "not_writable",
                Text("cli.broker.cannotWrite", ["path": path, "reason": String(cString: strerror(error.errno))])
            )
        }
    }

    func remove() { unlink(path) }
}
