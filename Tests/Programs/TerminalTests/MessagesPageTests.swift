import Foundation
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(2)))
struct MessagesPageTests {
    @Test("the page of errors shows only sentences that the programs say") func sentences() throws {
        let page = try String(contentsOf: ProjectFolder.url.appendingPathComponent("docs/messages.md"), encoding: .utf8)
        let messages = page.split(separator: "\n").filter { $0.hasPrefix("| ") }.dropFirst().compactMap {
            $0.split(separator: "|").first?.trimmingCharacters(in: .whitespaces)
        }
        #expect(messages.count > 10)
        let folder = ProjectFolder.url.appendingPathComponent("Sources")
        let files = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)
        let sources = try (files?.allObjects ?? []).compactMap { $0 as? URL }
            .filter { $0.pathExtension == "swift" || $0.lastPathComponent == "en.json" }
            .map { try String(contentsOf: $0, encoding: .utf8) }
        for message in messages {
            for part in message.split(separator: "…") {
                #expect(sources.contains { $0.contains(part) }, "\(message)")
            }
        }
    }

    @Test("units that a sentence or a page names are shipped") func units() throws {
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
