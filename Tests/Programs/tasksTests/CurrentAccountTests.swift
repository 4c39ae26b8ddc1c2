import Foundation
import TestSupport
import Testing

@testable import TasksCommands

@Suite(.timeLimit(.minutes(2)))
struct CurrentAccountTests {
    @Test("the current account is stored in a private file of a private folder, and removed") func note() throws {
        let folder = try TemporaryFolder()
        let path = folder.path("data/tasks")
        let current = CurrentAccount(dataDirectory: path)
        #expect(current.id == nil)
        try current.set("abc")
        try current.set("def")
        #expect(CurrentAccount(dataDirectory: path).id == "def")
        func mode(_ path: String) throws -> Int? {
            try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
        }
        #expect(try mode(path) == 0o700)
        #expect(try mode(path + "/current-account") == 0o600)
        #expect(try FileManager.default.contentsOfDirectory(atPath: path) == ["current-account"])
        current.clear()
        #expect(current.id == nil)
    }

    @Test("a file without a valid account counts as none", arguments: ["", "\n", String(repeating: "x", count: 300)])
    func unusable(_ text: String) throws {
        let folder = try TemporaryFolder()
        try text.write(toFile: folder.path("current-account"), atomically: true, encoding: .utf8)
        #expect(CurrentAccount(dataDirectory: folder.url.path).id == nil)
    }
}
