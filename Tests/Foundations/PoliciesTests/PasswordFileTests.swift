import Foundation
import OAuth
import Policies
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(1)))
struct PasswordFileTests {
    private func fault(of bytes: [UInt8]) throws -> String? {
        let folder = try TemporaryFolder()
        let path = folder.path("secret")
        let created = FileManager.default.createFile(
            atPath: path,
            contents: Data(bytes),
            attributes: [.posixPermissions: 0o600]
        )
        try #require(created)
        do throws(PasswordFile.Fault) {
            let content = try PasswordFile(path: path).content()
            return content.revealBytes() == Data("a \"b\" c'".utf8) ? nil : "another password"
        } catch {
            #expect(!error.description.contains("b\" c"))
            return error.description
        }
    }

    @Test("a password on one line is read without its line break", arguments: ["", "\n"]) func line(
        _ end: String
    ) throws {
        #expect(try fault(of: Array(("a \"b\" c'" + end).utf8)) == nil)
    }

    @Test(
        "what an editor or a shell adds to a password is refused by name",
        arguments: [
            ("\u{FEFF}a \"b\" c", "byte order mark"), ("a \"b\" c\r\n", "carriage return"), (" a \"b\" c", "blank"),
            ("a \"b\" c \n", "blank"), ("\ta \"b\" c", "blank"), ("\"a \"b\" c\"", "quotation marks"),
            ("'a \"b\" c'\n", "quotation marks"), ("\u{A0}a \"b\" c", "blank"), ("a \"b\" c\u{3000}\n", "blank"),
            ("a\u{0} \u{0}", "UTF-16"), ("a \"b\" c\n\n", "on one line"), ("", "on one line"),
        ]
    ) func additions(_ text: String, _ name: String) throws {
        let fault = try fault(of: Array(text.utf8))
        #expect(fault?.contains(name) == true, "\(fault ?? "none")")
    }
}
