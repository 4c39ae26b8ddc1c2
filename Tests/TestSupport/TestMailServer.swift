import Foundation

/// An independent mail server that stores received messages, or one that misbehaves.
public final class TestMailServer: Sendable {
    /// The port on which it listens at the loopback addresses.
    public let port: Int
    /// The folder with one file per message.
    public let folder: TemporaryFolder
    private let program: RunningProgram

    /// Starts a mail server.
    ///
    /// `arguments` are those of `scripts/system-test/mail-server`.
    public init(_ arguments: [String] = [], port: Int = freePort()) throws {
        self.port = port
        folder = try TemporaryFolder()
        let watch = FolderWatch(folder.url.path)
        program = try Self.start(arguments, folder, port)
        guard watch.file(matching: { path, _ in path.hasSuffix("/ready") }) != nil else {
            throw NotListening(errors: program.errors())
        }
    }

    /// Starts a server that sends `lines` instead of SMTP: the first at once, and one more after each received line.
    public init(saying lines: [String], _ arguments: [String] = []) throws {
        port = freePort()
        folder = try TemporaryFolder()
        let watch = FolderWatch(folder.url.path)
        let script = folder.path("says.json")
        try JSONEncoder().encode(lines).write(to: URL(fileURLWithPath: script))
        program = try Self.start(["--says", script] + arguments, folder, port)
        guard watch.file(matching: { path, _ in path.hasSuffix("/ready") }) != nil else {
            throw NotListening(errors: program.errors())
        }
    }

    deinit {
        program.signal(9)
        program.wait()
    }

    private static func start(_ arguments: [String], _ folder: TemporaryFolder, _ port: Int) throws -> RunningProgram {
        let script = ProjectFolder.path + "/scripts/system-test/mail-server"
        return try BuiltProgram(path: "/usr/bin/python3").start([script, folder.url.path, "\(port)"] + arguments)
    }

    /// Sets the response to the next `step` (MAIL, RCPT, DATA).
    public func answer(_ step: String, with text: String) throws {
        try Data(text.utf8).write(to: URL(fileURLWithPath: folder.path("answer-\(step)")))
    }

    /// Returns the messages so far, oldest first.
    ///
    /// The first line of each describes the session.
    public func mails() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder.url.path).filter { $0.hasSuffix(".eml") }
            .sorted { (Int($0.dropLast(4)) ?? 0) < (Int($1.dropLast(4)) ?? 0) }
            .map { try String(contentsOfFile: folder.path($0), encoding: .utf8) }
    }

    /// Waits for a message that `matches`.
    public func mail(within milliseconds: Int = 60_000, matching matches: (String) -> Bool) -> String? {
        var found: String?
        _ = FolderWatch(folder.url.path).file(within: milliseconds) { path, content in
            guard path.hasSuffix(".eml"), matches(content) else { return false }
            found = content
            return true
        }
        return found
    }

    /// Returns what the server that does not speak SMTP received.
    public func heard() -> String { (try? String(contentsOfFile: folder.path("heard"), encoding: .utf8)) ?? "" }

    /// The server did not start.
    struct NotListening: Error {
        let errors: String
    }
}
