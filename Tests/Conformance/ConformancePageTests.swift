import Foundation
import Testing

@Suite(.timeLimit(.minutes(1)))
struct ConformancePageTests {
    @Test("docs/conformance.md names every test of this folder, and no other") func page() throws {
        let folder = URL(filePath: #filePath).deletingLastPathComponent()
        let root = folder.deletingLastPathComponent().deletingLastPathComponent()
        let page = try String(contentsOf: root.appending(path: "docs/conformance.md"), encoding: .utf8)
        let named = Set(
            page.split(separator: "\n").filter { $0.hasPrefix("| ") && !$0.contains("|---") }
                .compactMap { $0.split(separator: "|").last?.trimmingCharacters(in: .whitespaces) }
                .filter { $0 != "test" }
        )
        var titles: Set<String> = []
        let files = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)
        while let file = files?.nextObject() as? URL {
            guard file.pathExtension == "swift", file.lastPathComponent != "ConformancePageTests.swift" else {
                continue
            }
            let text = try String(contentsOf: file, encoding: .utf8)
            for match in text.matches(of: /@Test\(\s*"([^"]+)"/) { titles.insert(String(match.output.1)) }
        }
        #expect(titles.subtracting(named).sorted() == [])
        #expect(named.subtracting(titles).sorted() == [])
        #expect(titles.count > 50)
    }

    @Test("docs/hostile-input.md names tests that there are") func hostile() throws {
        let tests = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        let page = try String(
            contentsOf: tests.deletingLastPathComponent().appending(path: "docs/hostile-input.md"),
            encoding: .utf8
        )
        let named = page.split(separator: "\n").filter { $0.hasPrefix("| ") }.dropFirst()
            .compactMap { $0.split(separator: "|").last?.trimmingCharacters(in: .whitespaces) }
        var titles: Set<String> = []
        let files = FileManager.default.enumerator(at: tests, includingPropertiesForKeys: nil)
        while let file = files?.nextObject() as? URL {
            guard file.lastPathComponent.hasSuffix("Tests.swift") else { continue }
            let text = try String(contentsOf: file, encoding: .utf8)
            for match in text.matches(of: /@Test\(\s*"([^"]+)"/) { titles.insert(String(match.output.1)) }
        }
        #expect(Set(named).subtracting(titles).sorted() == [])
        #expect(named.count > 40)
    }
}
