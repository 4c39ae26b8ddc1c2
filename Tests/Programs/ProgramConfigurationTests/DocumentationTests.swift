import Foundation
import Policies
import ProgramConfiguration
import StrictYAML
import TestSupport
import Testing

@Suite(.serialized, .timeLimit(.minutes(2)))
struct DocumentationTests {
    @Test(
        "the pages document every key as the programs define it",
        arguments: [
            ("docs/configuration.md", "tokenbrokerd.yaml", BrokerShape.file),
            ("docs/configuration.md", "tasksd.yaml", TasksdShape.file),
            ("docs/configuration.md", "tasks.yaml", TasksConfiguration.shape),
            ("docs/policies.md", "policy.yaml", PolicyShape.policy),
            ("docs/policies.md", "outside policy.yaml", PolicyShape.outside),
            ("docs/policies.md", "checks.yaml", PolicyShape.checks),
        ] as [(String, String, Shape)]
    )
    func tables(_ page: String, file: String, shape: Shape) throws {
        let url = ProjectFolder.url.appendingPathComponent(page)
        let text = try String(contentsOf: url, encoding: .utf8)
        let begin = try #require(text.range(of: "<!-- begin \(file) -->\n"))
        let end = try #require(text.range(of: "<!-- end -->", range: begin.upperBound..<text.endIndex))
        let head = "\n| key | accepted values | default | meaning |\n|---|---|---|---|\n"
        let table = head + shape.rows().joined(separator: "\n") + "\n\n"
        if ProcessInfo.processInfo.environment["TOKENBROKER_WRITE_DOCS"] == "1" {
            let whole = text[..<begin.upperBound] + table + text[end.lowerBound...]
            try String(whole).write(to: url, atomically: true, encoding: .utf8)
        } else {
            #expect(String(text[begin.upperBound..<end.lowerBound]) == table)
        }
    }
}
