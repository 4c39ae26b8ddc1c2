import Foundation
import OAuth
import Storage
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(2)))
struct StateDirectoryTests {
    let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    private func mode(_ path: String) throws -> Int {
        let attributes = try FileManager.default.attributesOfItem(atPath: path)
        return try #require(attributes[.posixPermissions] as? Int)
    }

    @Test("a missing directory is created for its owner only") func made() throws {
        let directory = try StateDirectory(folder.path("a/b"))
        #expect(try mode(directory.path) == 0o700)
    }

    @Test("a directory that other users can read is rejected", arguments: [0o750, 0o705, 0o710, 0o777])
    func readable(_ permissions: Int) throws {
        try FileManager.default.setAttributes([.posixPermissions: permissions], ofItemAtPath: folder.url.path)
        let error = #expect(throws: StoreError.self) { try StateDirectory(folder.url.path) }
        #expect(error?.code == .permissions)
        #expect(error?.message.contains("chmod 700") == true)
    }

    @Test("anything other than a directory is rejected, including a link") func other() throws {
        try FileManager.default.createSymbolicLink(atPath: folder.path("link"), withDestinationPath: folder.url.path)
        let error = #expect(throws: StoreError.self) { try StateDirectory(folder.path("link")) }
        #expect(error?.code == .unreadable)
    }

    @Test("a private file is written completely, is private, and is never replaced") func file() throws {
        let directory = try StateDirectory(folder.path("state"))
        try directory.makePrivateFile("key", [1, 2, 3])
        #expect(try mode(directory.path("key")) == 0o600)
        let error = #expect(throws: StoreError.self) { try directory.makePrivateFile("key", [4]) }
        #expect(error?.code == .conflict)
        #expect(try directory.readPrivateFile("key") == Data([1, 2, 3]))
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path) == ["key"])
    }

    @Test("a private file that other users can read is rejected") func readableFile() throws {
        let directory = try StateDirectory(folder.path("state"))
        try directory.makePrivateFile("key", [1])
        try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: directory.path("key"))
        let error = #expect(throws: StoreError.self) { try directory.readPrivateFile("key") }
        #expect(error?.code == .permissions)
    }

    @Test("a machine keeps its id") func machine() throws {
        let id = try MachineID.load(stateDirectory: folder.path("state"))
        #expect(try MachineID.load(stateDirectory: folder.path("state")) == id)
        #expect(CorrelationID(id) != nil)
    }

    @Test("a key is created once, and only where one may be created") func key() throws {
        let directory = try StateDirectory(folder.path("state"))
        #expect(try KeyFile.load("cache-key", in: directory, make: false) == nil)
        let key = try #require(try KeyFile.load("cache-key", in: directory, make: true))
        #expect(key.count == KeyFile.size)
        #expect(try KeyFile.load("cache-key", in: directory, make: false) == key)
    }

    @Test("an invalid key is rejected", arguments: ["", "short", String(repeating: "A", count: 42)])
    func badKey(_ text: String) throws {
        let directory = try StateDirectory(folder.path("state"))
        try directory.makePrivateFile("cache-key", Data(text.utf8))
        let error = #expect(throws: StoreError.self) { try KeyFile.load("cache-key", in: directory, make: true) }
        #expect(error?.code == .missingKey)
    }

    @Test(
        "what an editor or a shell adds to a key is rejected by name",
        arguments: [
            ("\u{FEFF}", "", "byte order mark"), ("", "\r\n", "carriage return"), ("", "\u{A0}\n", "blank"),
            ("\"", "\"\n", "quotation marks"),
        ]
    )
    func alteredKey(_ start: String, _ end: String, _ problem: String) throws {
        let directory = try StateDirectory(folder.path("state"))
        let key = String(repeating: "A", count: 43)
        try directory.makePrivateFile("cache-key", Data((start + key + end).utf8))
        let error = #expect(throws: StoreError.self) { try KeyFile.load("cache-key", in: directory, make: true) }
        #expect(error?.code == .missingKey && error?.message.contains(problem) == true, "\(error?.message ?? "")")
        #expect(error?.message.contains(key) == false)
    }

    @Test("a lock has one holder, and the next process learns its process id") func lock() throws {
        let directory = try StateDirectory(folder.path("state"))
        var lock: LockFile? = try LockFile("lock", in: directory)
        let error = #expect(throws: StoreError.self) { try LockFile("lock", in: directory) }
        #expect(error?.code == .inUse)
        #expect(error?.message.contains("Process \(ProcessInfo.processInfo.processIdentifier)") == true)
        withExtendedLifetime(lock) {}
        lock = nil
        _ = try LockFile("lock", in: directory)
    }
}
