import Foundation
import Terminal
import TestSupport
import Testing

@testable import BrokerCommands

/// Tests which backup files the command accepts from a daemon.
@Suite(.timeLimit(.minutes(1)))
struct BackupSourceTests {
    private let folder: TemporaryFolder
    private let path: String

    init() throws {
        folder = try TemporaryFolder()
        try FileManager.default.createDirectory(
            atPath: folder.path("backups"),
            withIntermediateDirectories: false,
            attributes: [.posixPermissions: 0o700]
        )
        path = folder.path("backups/copy.sqlite")
        try Data("copy".utf8).write(to: URL(fileURLWithPath: path))
    }

    private func refusal(_ path: String, owner: UInt32 = geteuid()) -> String? {
        do {
            try BackupSource(path, owner: owner).end()
            return nil
        } catch {
            return error.message
        }
    }

    @Test("a private file of the daemon's user is read and removed, even if its path changes meanwhile")
    func taken() throws {
        let source = try BackupSource(path, owner: geteuid())
        defer { source.end() }
        let other = folder.path("other")
        try FileManager.default.createDirectory(atPath: other, withIntermediateDirectories: false)
        try Data("mine".utf8).write(to: URL(fileURLWithPath: other + "/copy.sqlite"))
        try FileManager.default.moveItem(atPath: folder.path("backups"), toPath: folder.path("moved"))
        try FileManager.default.createSymbolicLink(atPath: folder.path("backups"), withDestinationPath: other)
        source.remove()
        #expect(!FileManager.default.fileExists(atPath: folder.path("moved/copy.sqlite")))
        #expect(FileManager.default.fileExists(atPath: other + "/copy.sqlite"))
    }

    @Test("a file or folder of another user is refused") func foreign() {
        #expect(
            refusal(path, owner: geteuid() + 1)?.contains("not in a directory that is private to the daemon's user")
                == true
        )
    }

    @Test("a folder that others may enter is refused") func open() {
        chmod(folder.path("backups"), 0o755)
        #expect(refusal(path)?.contains("not in a directory that is private") == true)
    }

    @Test("a symbolic link is refused, as the folder and as the file") func links() throws {
        let manager = FileManager.default
        try manager.createSymbolicLink(atPath: folder.path("link"), withDestinationPath: folder.path("backups"))
        #expect(refusal(folder.path("link/copy.sqlite")) != nil)
        try manager.createSymbolicLink(atPath: folder.path("backups/link"), withDestinationPath: path)
        #expect(refusal(folder.path("backups/link")) != nil)
    }

    @Test("a non-file and a relative or invalid path are refused") func others() {
        mkfifo(folder.path("backups/pipe"), 0o600)
        #expect(refusal(folder.path("backups/pipe"))?.contains("does not belong to the daemon's user") == true)
        #expect(refusal("copy.sqlite")?.contains("not a file path") == true)
        #expect(refusal("/copy.sqlite")?.contains("not a file path") == true)
    }
}
