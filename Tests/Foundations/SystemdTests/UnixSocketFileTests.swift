import Files
import Foundation
import Glibc
import Systemd
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(1)))
struct UnixSocketFileTests {
    private let folder: TemporaryFolder
    private let path: String

    init() throws {
        folder = try TemporaryFolder()
        path = folder.path("s")
    }

    private func code(_ path: String) -> UnixSocketError.Code? {
        #expect(throws: UnixSocketError.self) { try UnixSocketFile.listen(at: path, mode: 0o600) }?.code
    }

    @Test("a file left by an ended process is replaced, and the earlier owner no longer removes it") func stale() throws
    {
        let left = try UnixSocketFile.listen(at: path, mode: 0o600)
        close(left.descriptor)
        let made = try UnixSocketFile.listen(at: path, mode: 0o666)
        // `remove` must keep the new file even if it has the inode number of the old file.
        left.file.remove()
        #expect(try PeerCredentials(listeningAt: path).pid == getpid())
        close(made.descriptor)
        made.file.remove()
        #expect(throws: FileError(errno: ENOENT)) { try FileStatus(path: path) }
    }

    @Test("the mode of a file is changed, and never that of a link's target") func changedMode() throws {
        let target = folder.path("target")
        try Data().write(to: URL(fileURLWithPath: target))
        try #require(chmod(target, 0o600) == 0 && symlink(target, path) == 0)
        #expect(throws: FileError(errno: ELOOP)) { try FileStatus.changeMode(of: path, to: 0o666, ofKind: .file) }
        #expect(throws: FileError(errno: ELOOP)) { try FileStatus.changeMode(of: target, to: 0o666, ofKind: .socket) }
        #expect(try FileStatus(path: target).mode == 0o600)
        try FileStatus.changeMode(of: target, to: 0o640, ofKind: .file)
        #expect(try FileStatus(path: target).mode == 0o640)
        try FileStatus.changeMode(of: folder.url.path, to: 0o710, ofKind: .directory)
        #expect(try FileStatus(path: folder.url.path).mode == 0o710)
        #expect(throws: FileError(errno: ENOENT)) {
            try FileStatus.changeMode(of: folder.path("none"), to: 0o600, ofKind: .file)
        }
    }

    @Test("a socket in use is refused with the name of its process, and keeps working") func live() throws {
        let made = try UnixSocketFile.listen(at: path, mode: 0o600)
        defer { close(made.descriptor) }
        let error = #expect(throws: UnixSocketError.self) { try UnixSocketFile.listen(at: path, mode: 0o600) }
        #expect(error?.code == .inUse)
        #expect(error?.description == "cannot listen on \(path): process \(getpid()) is already listening")
        #expect(!made.file.isGone)
    }

    @Test("a socket whose process accepts no connections is refused too") func full() throws {
        let made = try UnixSocketFile.listen(at: path, mode: 0o600)
        defer { close(made.descriptor) }
        try #require(listen(made.descriptor, 0) == 0)
        _ = try PeerCredentials(listeningAt: path)
        #expect(throws: SystemError("connect", EAGAIN)) { try PeerCredentials(listeningAt: path) }
        #expect(code(path) == .inUse)
        #expect(!made.file.isGone)
    }

    @Test("a file, a folder, a link and a datagram socket are refused and unchanged") func others() throws {
        try Data("mine".utf8).write(to: URL(fileURLWithPath: path))
        #expect(code(path) == .notASocket)
        #expect(try String(contentsOfFile: path, encoding: .utf8) == "mine")
        #expect(code(folder.url.path) == .notASocket)
        let link = folder.path("link")
        try #require(symlink(path, link) == 0)
        #expect(code(link) == .notASocket)
        let datagrams = NotifySocket(folder.path("n"))
        #expect(code(datagrams.path) == .refused)
        #expect(try FileStatus(path: datagrams.path).kind == .socket)
    }

    @Test("a path that is too long, empty or in a missing folder is an error with that reason") func badPaths() {
        for path in [folder.path(String(repeating: "x", count: 120)), folder.path("no/s"), ""] {
            let error = #expect(throws: UnixSocketError.self) { try UnixSocketFile.listen(at: path, mode: 0o600) }
            #expect(error?.code == .refused && error?.path == path)
        }
    }

    @Test("a file that another process created is not considered its own and is not removed") func another() throws {
        let made = try UnixSocketFile.listen(at: path, mode: 0o600)
        defer { close(made.descriptor) }
        try FileManager.default.removeItem(atPath: path)
        #expect(made.file.isGone)
        let other = try UnixSocketFile.listen(at: path, mode: 0o600)
        defer { close(other.descriptor) }
        made.file.remove()
        #expect(made.file.isGone && !other.file.isGone)
        other.file.remove()
        let again = try made.file.listenAgain()
        defer { close(again.descriptor) }
        #expect(try FileStatus(path: path).mode == 0o600)
    }

    @Test("the file has its mode before the first connection", arguments: [0o600, 0o666, 0o640] as [UInt32])
    func mode(_ mode: UInt32) async throws {
        for round in 0..<50 {
            let path = folder.path("m\(round)")
            async let seen = Task.detached { Self.modeAtFirstConnection(path) }.value
            let made = try UnixSocketFile.listen(at: path, mode: mode)
            #expect(await seen == mode)
            close(made.descriptor)
        }
    }

    /// Waits at most ten seconds until a process listens, and returns the file's mode at the first connection.
    private static func modeAtFirstConnection(_ path: String) -> UInt32? {
        let end = ContinuousClock.now + .seconds(10)
        while ContinuousClock.now < end {
            if (try? PeerCredentials(listeningAt: path)) != nil { return try? FileStatus(path: path).mode }
        }
        return nil
    }
}
