import Foundation
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(1)))
struct ConformancePageTests {
    private static let folder = "Tests/Conformance"

    /// Returns the titles of the tests in a folder, except those in this file.
    private func titles(in folder: String) throws -> Set<String> {
        var titles: Set<String> = []
        for file in ProjectFolder.swiftFiles(in: folder) {
            guard file.lastPathComponent.hasSuffix("Tests.swift"),
                file.lastPathComponent != "ConformancePageTests.swift"
            else { continue }
            let text = try String(contentsOf: file, encoding: .utf8)
            for match in text.matches(of: /@Test\(\s*"([^"]+)"/) { titles.insert(String(match.output.1)) }
            // The tests in this folder must not be disabled.
            if folder == Self.folder {
                #expect(!text.contains(/\.(dis|en)abled\(/), "\(file.lastPathComponent)")
            }
        }
        return titles
    }

    /// Returns the last cell of each table row of a page.
    private func cells(_ page: String) throws -> Set<String> {
        let text = try ProjectFolder.text(page)
        return Set(
            text.split(separator: "\n").filter { $0.hasPrefix("| ") && !$0.contains("|---") }
                .compactMap { $0.split(separator: "|").last?.trimmingCharacters(in: .whitespaces) }
                .filter { $0 != "test" }
        )
    }

    @Test("docs/conformance.md names every test of this folder, and marks every other entry")
    func page() throws {
        let (other, reason) = ("elsewhere: ", "reason: ")
        let cells = try cells("docs/conformance.md")
        let named = cells.filter { !$0.hasPrefix(other) && !$0.hasPrefix(reason) }
        let titles = try titles(in: Self.folder)
        #expect(titles.subtracting(named).sorted() == [])
        #expect(named.subtracting(titles).sorted() == [])
        #expect(titles.count > 50)
        let elsewhere = Set(cells.filter { $0.hasPrefix(other) }.map { String($0.dropFirst(other.count)) })
        #expect(elsewhere.subtracting(try self.titles(in: "Tests")).sorted() == [])
        let reasons = cells.filter { $0.hasPrefix(reason) }.map { $0.dropFirst(reason.count) }
        #expect(!elsewhere.isEmpty && !reasons.isEmpty && reasons.allSatisfy { $0.count > 20 })
    }

    @Test("docs/hostile-input.md names only existing tests") func hostile() throws {
        let page = try ProjectFolder.text("docs/hostile-input.md")
        let named = page.split(separator: "\n").filter { $0.hasPrefix("| ") }
            .compactMap { $0.split(separator: "|").last?.trimmingCharacters(in: .whitespaces) }
            .filter { $0 != "test" }
        var titles: Set<String> = []
        for file in ProjectFolder.swiftFiles(in: "Tests") {
            guard file.lastPathComponent.hasSuffix("Tests.swift") else { continue }
            let text = try String(contentsOf: file, encoding: .utf8)
            for match in text.matches(of: /@Test\(\s*"([^"]+)"/) { titles.insert(String(match.output.1)) }
        }
        #expect(Set(named).subtracting(titles).sorted() == [])
        #expect(named.count > 40)
    }
}
