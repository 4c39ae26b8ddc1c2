import Foundation
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(2)))
struct MessagesPageTests {
    @Test("the page of errors lists the key of every refusal, failure and problem once") func sentences() throws {
        func read(_ path: String) throws -> Data {
            try Data(contentsOf: ProjectFolder.url.appendingPathComponent(path))
        }
        let catalog = try JSONDecoder().decode(
            [String: String].self,
            from: read("Sources/Foundations/Localization/Texts/en.json")
        )
        let keys = catalog.keys.filter { key in
            ["refusal.", "failure.", "problem.", "query.", "row.", "error."].contains { key.hasPrefix($0) }
        }
        let page = String(decoding: try read("docs/messages.md"), as: UTF8.self)
        let listed = page.matches(of: /(?m)^- .* \(`([\w.]+)`\)$/).map { String($0.1) }
        #expect(keys.count > 500 && listed.count == Set(listed).count)
        #expect(Set(keys).subtracting(listed).isEmpty)
    }

    @Test("units that a message or a page names are shipped") func units() throws {
        let files = FileManager.default
        let shipped = try Set(
            ["system", "user"].flatMap { folder in
                try files.contentsOfDirectory(
                    atPath: ProjectFolder.url.appendingPathComponent("systemd/\(folder)").path
                )
            }
        )
        #expect(shipped.contains("tokenbroker.service") && shipped.contains("tokenbroker-mail.path"))
        for folder in ["Sources", "docs"] {
            var named = 0
            let url = ProjectFolder.url.appendingPathComponent(folder)
            let found = files.enumerator(at: url, includingPropertiesForKeys: nil)?.allObjects ?? []
            for file in found.compactMap({ $0 as? URL })
            where ["swift", "json", "md", "8", "1"].contains(file.pathExtension) {
                let text = try String(contentsOf: file, encoding: .utf8)
                for unit in text.matches(of: /\b(?:tokenbroker|tasksd)[a-z-]*\.(?:service|socket|path|timer)\b/) {
                    #expect(shipped.contains(String(unit.output)), "\(file.lastPathComponent)")
                    named += 1
                }
            }
            #expect(named > 0, "\(folder) names no unit")
        }
    }
}
