import Foundation

/// A mail server in a separate process, which stores messages or sends scripted responses.
public final class TestMailServer: Sendable {
    /// The port on which the server listens, on both loopback addresses.
    public let port: Int
    /// The folder in which the server stores each message as a file.
    public let folder: TemporaryFolder
    private let program: RunningProgram

    /// Starts a mail server.
    ///
    /// `arguments` are passed to `scripts/system-test/mail-server`.
    public init(_ arguments: [String] = [], port: Int = freePort()) throws {
        self.port = port
        folder = try TemporaryFolder()
        let watch = FolderWatch(folder.url.path)
        program = try Self.start(arguments, folder, port)
        guard watch.file(matching: { path, _ in path.hasSuffix("/ready") }) != nil else {
            throw NotListening(errors: program.errors())
        }
    }

    /// Starts a server that sends `lines` instead of speaking SMTP.
    ///
    /// The server sends the first line at once, and one more line after each line that it receives.
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

    /// Sets the response to the next command `step`, which is `MAIL`, `RCPT` or `DATA`.
    public func answer(_ step: String, with text: String) throws {
        try Data(text.utf8).write(to: URL(fileURLWithPath: folder.path("answer-\(step)")))
    }

    /// Returns the messages so far, oldest first.
    ///
    /// The first line of each message describes the connection.
    public func mails() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder.url.path).filter { $0.hasSuffix(".eml") }
            .sorted { (Int($0.dropLast(4)) ?? 0) < (Int($1.dropLast(4)) ?? 0) }
            .map { try String(contentsOfFile: folder.path($0), encoding: .utf8) }
    }

    /// Waits for a message that `matches`, and returns it, or `nil` if none arrives in time.
    public func mail(within milliseconds: Int = 60_000, matching matches: (String) -> Bool) -> String? {
        var found: String?
        _ = FolderWatch(folder.url.path).file(within: milliseconds) { path, content in
            guard path.hasSuffix(".eml"), matches(content) else { return false }
            found = content
            return true
        }
        return found
    }

    /// Returns everything that a server created with ``init(saying:_:)`` has received.
    public func heard() -> String { (try? String(contentsOfFile: folder.path("heard"), encoding: .utf8)) ?? "" }

    /// The error of a server that does not start.
    struct NotListening: Error {
        let errors: String
    }
}
