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

    @Test("each mail is a private file in a private folder") func delivers() throws {
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

    @Test("a folder that other users can read is rejected") func open() throws {
        let path = folder.path("outbox")
        try FileManager.default.createDirectory(
            atPath: path,
            withIntermediateDirectories: false,
            attributes: [.posixPermissions: 0o755]
        )
        let error = #expect(throws: MailError.self) { try MailFolder(directory: path) }
        #expect(error?.code == .unusable)
        #expect(error?.description == "the outbox \(path) is readable by other users; run chmod 700 \(path)")
    }

    @Test("a file instead of the folder is rejected") func file() throws {
        let path = folder.path("outbox")
        try Data().write(to: URL(fileURLWithPath: path))
        #expect(throws: MailError.unusable("the outbox \(path) is not a folder")) { try MailFolder(directory: path) }
    }

    @Test("a missing parent folder is rejected") func missing() {
        let error = #expect(throws: MailError.self) { try MailFolder(directory: folder.path("no/outbox")) }
        #expect(error?.code == .unusable && error?.description.contains("cannot be created") == true)
    }

    @Test("a full outbox refuses mails and says what to do") func full() throws {
        let outbox = try MailFolder(directory: folder.path("outbox"), capacity: 2)
        try outbox.deliver(mail, now: clock.now)
        try outbox.deliver(mail, now: clock.now)
        let error = #expect(throws: MailError.self) { try outbox.deliver(mail, now: clock.now) }
        #expect(error?.code == .full)
        #expect(error?.description.contains("contains 2 messages, the maximum; remove some") == true)
    }

    @Test("a folder that disappeared is an error that names it") func vanished() throws {
        let outbox = try MailFolder(directory: folder.path("outbox"))
        try FileManager.default.removeItem(atPath: outbox.directory)
        let error = #expect(throws: MailError.self) { try outbox.deliver(mail, now: clock.now) }
        #expect(error?.code == .unusable)
        #expect(error?.description.contains(outbox.directory) == true)
    }
}
