import Foundation
import Glibc
import TestSupport
import Testing

/// Tests of the script `packaging/make-keys`, which root runs in a folder that the daemon's user can write to.
@Suite(.timeLimit(.minutes(2)))
struct MakeKeysTests {
    private static let names = ["authority-key", "cache-key"]
    private let folder: TemporaryFolder
    private var state: String { folder.path("state") }
    private var credentials: String { folder.path("credstore") }

    init() throws {
        try requireRoot("encrypts with the key of this host")
        folder = try TemporaryFolder()
        try FileManager.default.createDirectory(atPath: folder.path("state"), withIntermediateDirectories: false)
    }

    private func make() throws -> BuiltProgram.Outcome {
        try BuiltProgram(path: "/bin/sh").run(
            [ProjectFolder.path + "/packaging/make-keys", state, credentials],
            environment: ["TMPDIR": folder.url.path]
        )
    }

    /// Returns the decrypted credential called `name`, or `nil` if it does not exist.
    private func sealed(_ name: String) throws -> String? {
        let file = "\(credentials)/tokenbroker.\(name)"
        guard FileManager.default.fileExists(atPath: file) else { return nil }
        let opened = try BuiltProgram(path: "/usr/bin/systemd-creds").run(["decrypt", "--name=\(name)", file, "-"])
        #expect(opened.status == 0, "\(opened.errors)")
        return opened.output
    }

    private func write(_ text: String, to path: String) throws {
        try text.write(toFile: path, atomically: false, encoding: .utf8)
    }

    @Test("keys are created once, and a key in the state directory is sealed and removed there") func made() throws {
        let key = String(repeating: "k", count: 43) + "\n"
        try write(key, to: "\(state)/authority-key")
        let first = try make()
        #expect(first.status == 0, "\(first.errors)")
        #expect(try sealed("authority-key") == key)
        #expect(!FileManager.default.fileExists(atPath: "\(state)/authority-key"))
        let made = try Data(contentsOf: URL(fileURLWithPath: "\(credentials)/tokenbroker.cache-key"))
        #expect(try make().status == 0)
        #expect(try Data(contentsOf: URL(fileURLWithPath: "\(credentials)/tokenbroker.cache-key")) == made)
    }

    @Test("a symbolic link or other file type in place of a key file is rejected")
    func links() throws {
        let secret = folder.path("shadow")
        try write(String(repeating: "s", count: 40), to: secret)
        try #require(symlink(secret, "\(state)/authority-key") == 0)
        try #require(mkfifo("\(state)/cache-key", 0o600) == 0)
        let outcome = try make()
        #expect(outcome.status == 1)
        for name in Self.names {
            #expect(outcome.errors.contains("\(state)/\(name) is not the file of a key"), "\(outcome.errors)")
            #expect(try sealed(name) == nil)
        }
        #expect(try String(contentsOfFile: secret, encoding: .utf8).count == 40)
        // A dangling symbolic link must not count as a missing key.
        try #require(unlink("\(state)/authority-key") == 0)
        try #require(symlink(folder.path("nothing"), "\(state)/authority-key") == 0)
        #expect(try make().status == 1)
        #expect(try sealed("authority-key") == nil)
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: folder.url.path).sorted() == [
                "credstore", "shadow", "state",
            ]
        )
    }

    @Test("a file of the wrong length for a key is left unchanged", arguments: [31, 45, 4096])
    func size(_ count: Int) throws {
        try write(String(repeating: "x", count: count), to: "\(state)/authority-key")
        let outcome = try make()
        #expect(outcome.status == 1 && outcome.errors.contains("is not the file of a key"), "\(outcome.errors)")
        #expect(try sealed("authority-key") == nil)
        #expect(FileManager.default.fileExists(atPath: "\(state)/authority-key"))
    }
}
