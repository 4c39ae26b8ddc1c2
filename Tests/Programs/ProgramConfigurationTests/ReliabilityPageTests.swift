import Foundation
import TestSupport
import Testing

/// Tests that docs/reliability.md names only tests that exist.
@Suite(.timeLimit(.minutes(1)))
struct ReliabilityPageTests {
    /// Returns the text of the file that is named after a suite, or `nil` if no target has the file.
    private func source(of suite: String) throws -> String? {
        try ProjectFolder.swiftFiles(in: "Tests").first { $0.lastPathComponent == "\(suite).swift" }
            .map { try String(contentsOf: $0, encoding: .utf8) }
    }

    @Test("each command of the page runs an existing test") func commands() throws {
        let page = try ProjectFolder.text("docs/reliability.md")
        let commands = page.matches(of: /`swift test --filter (\w+)(?:\/(\w+))?`/)
        #expect(commands.count > 10)
        for command in commands {
            let (suite, name) = (String(command.1), command.2.map { String($0) })
            let text = try #require(try source(of: suite), "there is no \(suite)")
            #expect(text.contains("struct \(suite)"), "\(suite)")
            if let name { #expect(text.contains("func \(name)("), "\(suite)/\(name)") }
        }
    }
}
