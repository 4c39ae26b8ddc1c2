import Foundation
import TestSupport
import Testing

/// Tests the steps that `docs/policies.md` describes.
@Suite(.timeLimit(.minutes(2)))
struct PoliciesPageTests {
    /// Returns the first code block of `docs/policies.md` in this language.
    private func block(_ language: String) throws -> String {
        let page = try String(contentsOfFile: ProjectFolder.path + "/docs/policies.md", encoding: .utf8)
        let begin = try #require(page.range(of: "```\(language)\n"))
        let end = try #require(page.range(of: "```", range: begin.upperBound..<page.endIndex))
        return String(page[begin.upperBound..<end.lowerBound])
    }

    @Test("copies of the shipped policies and the page's example pass the check, and the daemon loads them")
    func example() throws {
        let machine = try Machine()
        let home = machine.folder.path("home")
        try FileManager.default.createDirectory(atPath: home, withIntermediateDirectories: true)
        let copied = try BuiltProgram(path: "/bin/bash").run(
            ["-euc", "cd \"$1\"\n" + block("sh"), "bash", ProjectFolder.path],
            environment: ["HOME": home]
        )
        #expect(copied.status == 0, "\(copied.errors)")

        let example = try block("yaml")
        let name = try #require(example.firstMatch(of: /(b2c_1_\w+\.yaml):/)?.1)
        let folder = home + "/.config/tokenbroker/policies"
        try example.write(toFile: "\(folder)/\(name)", atomically: true, encoding: .utf8)
        let file = try machine.tokenbroker(["policy", "check", "\(folder)/\(name)"])
        #expect(file.status == 0, "\(file.output)\(file.errors)")
        let checked = try machine.runBroker(["--policies", folder, "--check"])
        #expect(checked.status == 0, "\(checked.output)\(checked.errors)")

        let daemon = try machine.startBroker(["--policies", folder])
        let listed = try machine.tokenbroker(["policies"])
        #expect(listed.output.contains("Sign in for a short while"), "\(listed.output)\(listed.errors)")
        daemon.signal(SIGTERM)
        #expect(daemon.wait() == 0)
    }
}
