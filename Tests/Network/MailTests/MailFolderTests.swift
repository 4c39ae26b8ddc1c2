import Foundation
import OAuth
import TestSupport
import Testing

@testable import Mail

@Suite(.timeLimit(.minutes(2)))
struct MailFolderTests {
    private let folder: TemporaryFolder
    private let clock = TestClock()
    private let mail: Mail

    init() throws {
        folder = try TemporaryFolder()
        mail = try Mail(to: "jo@example.org", from: "noreply@localhost", subject: "s", body: Secret("012345\n"))
    }

    private func mode(_ path: String) throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    }

    @Test("each mail is a private file of its own in a private folder") func delivers() throws {
        let outbox = try MailFolder(directory: folder.path("outbox"))
        let first = try outbox.deliver(mail, now: clock.now)
        let second = try outbox.deliver(mail, now: clock.now)
        #expect(first != second)
        #expect(first.hasSuffix(".eml"))
        #expect(try mode(folder.path("outbox")) == 0o700)
        #expect(try mode(first) == 0o600)
        #expect(try String(contentsOfFile: first, encoding: .utf8).hasSuffix("\r\n\r\n012345\r\n"))
        #expect(try FileManager.default.contentsOfDirectory(atPath: outbox.directory).count == 2)
    }

    @Test("a folder that others can read is refused") func open() throws {
        let path = folder.path("outbox")
        try FileManager.default.createDirectory(
            atPath: path,
            withIntermediateDirectories: false,
            attributes: [.posixPermissions: 0o755]
        )
        let error = #expect(throws: MailError.self) { try MailFolder(directory: path) }
        #expect(error?.code == .unusable)
        #expect(error?.description == "the outbox \(path) can be read by others; chmod 700 \(path)")
    }

    @Test("a file in its place is refused") func file() throws {
        let path = folder.path("outbox")
        try Data().write(to: URL(fileURLWithPath: path))
        #expect(throws: MailError.unusable("the outbox \(path) is no folder")) { try MailFolder(directory: path) }
    }

    @Test("a folder above that is not there is refused") func missing() {
        let error = #expect(throws: MailError.self) { try MailFolder(directory: folder.path("no/outbox")) }
        #expect(error?.code == .unusable && error?.description.contains("cannot be made") == true)
    }

    @Test("a full outbox refuses and says what to do") func full() throws {
        let outbox = try MailFolder(directory: folder.path("outbox"), capacity: 2)
        try outbox.deliver(mail, now: clock.now)
        try outbox.deliver(mail, now: clock.now)
        let error = #expect(throws: MailError.self) { try outbox.deliver(mail, now: clock.now) }
        #expect(error?.code == .full)
        #expect(error?.description.contains("holds 2 mails, as many as it may; remove some") == true)
    }

    @Test("a folder that vanished is an error that names it") func vanished() throws {
        let outbox = try MailFolder(directory: folder.path("outbox"))
        try FileManager.default.removeItem(atPath: outbox.directory)
        let error = #expect(throws: MailError.self) { try outbox.deliver(mail, now: clock.now) }
        #expect(error?.code == .unusable)
        #expect(error?.description.contains(outbox.directory) == true)
    }
}
