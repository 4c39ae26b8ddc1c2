import Foundation

/// A mail server that keeps what it is handed, or one that misbehaves; another implementation than the one that is tested.
public final class TestMailServer: Sendable {
    /// Where it listens, at both addresses of loopback.
    public let port: Int
    /// What it keeps: a file for each mail.
    public let folder: TemporaryFolder
    private let program: RunningProgram

    /// A mail server; `arguments` are those of `scripts/system-test/mail-server`.
    public init(_ arguments: [String] = [], port: Int = freePort()) throws {
        self.port = port
        folder = try TemporaryFolder()
        let watch = FolderWatch(folder.url.path)
        program = try Self.start(arguments, folder, port)
        guard watch.file(matching: { path, _ in path.hasSuffix("/ready") }) != nil else {
            throw NotListening(errors: program.errors())
        }
    }

    /// Something that is no mail server: it says `lines`, the first at once and each other one for a line that it hears.
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

    /// What the next `step` (MAIL, RCPT, DATA) is answered.
    public func answer(_ step: String, with text: String) throws {
        try Data(text.utf8).write(to: URL(fileURLWithPath: folder.path("answer-\(step)")))
    }

    /// The mails so far, oldest first; the first line of each says how it came.
    public func mails() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder.url.path).filter { $0.hasSuffix(".eml") }
            .sorted { (Int($0.dropLast(4)) ?? 0) < (Int($1.dropLast(4)) ?? 0) }
            .map { try String(contentsOfFile: folder.path($0), encoding: .utf8) }
    }

    /// Waits for a mail that `matches`.
    public func mail(within milliseconds: Int = 60_000, matching matches: (String) -> Bool) -> String? {
        var found: String?
        _ = FolderWatch(folder.url.path).file(within: milliseconds) { path, content in
            guard path.hasSuffix(".eml"), matches(content) else { return false }
            found = content
            return true
        }
        return found
    }

    /// What was said to something that is no mail server.
    public func heard() -> String { (try? String(contentsOfFile: folder.path("heard"), encoding: .utf8)) ?? "" }

    /// It did not start.
    struct NotListening: Error {
        let errors: String
    }
}
