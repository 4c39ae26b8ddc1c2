import Foundation
import Testing

/// docs/reliability.md names tests that there are.
@Suite(.timeLimit(.minutes(1)))
struct ReliabilityPageTests {
    private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    /// The text of the file of a suite, in whatever target it is.
    private func source(of suite: String) throws -> String? {
        let tests = Self.root.appendingPathComponent("Tests")
        for target in try FileManager.default.contentsOfDirectory(atPath: tests.path) {
            let file = tests.appendingPathComponent(target).appendingPathComponent("\(suite).swift")
            if let text = try? String(contentsOf: file, encoding: .utf8) { return text }
        }
        return nil
    }

    @Test("each command of the page runs a test that there is") func commands() throws {
        let page = try String(
            contentsOf: Self.root.appendingPathComponent("docs/reliability.md"),
            encoding: .utf8
        )
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
