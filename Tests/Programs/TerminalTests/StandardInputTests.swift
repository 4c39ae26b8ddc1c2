import Foundation
import OAuth
import Testing

@testable import Terminal

@Suite(.timeLimit(.minutes(1)))
struct StandardInputTests {
    /// Returns the lines of an input, up to the first refusal.
    private func lines(_ bytes: Data) throws -> (lines: [String], refusal: String?) {
        let pipe = Pipe()
        try pipe.fileHandleForWriting.write(contentsOf: bytes)
        try pipe.fileHandleForWriting.close()
        var lines: [String] = []
        do throws(CommandFailure) {
            while let line = try StandardInput.line(from: pipe.fileHandleForReading.fileDescriptor) {
                lines.append(line.reveal())
            }
            return (lines, nil)
        } catch {
            #expect(error.status == .usage)
            return (lines, error.message)
        }
    }

    @Test(
        "a secret loses one line end and nothing else",
        arguments: [
            ("a b\n", ["a b"]), ("a", ["a"]), ("a\r\n", ["a"]), ("a\r\r\n", ["a\r"]), ("a\r", ["a\r"]),
            (" a\u{A0}\t\n", [" a\u{A0}\t"]), ("a\u{2028}\n", ["a\u{2028}"]), ("a\u{FEFF}\n", ["a\u{FEFF}"]),
            ("\"a\"\n", ["\"a\""]), ("a\nb\r\nc", ["a", "b", "c"]), ("\na\n\n", ["", "a", ""]), ("", []),
        ]
    )
    func line(_ input: String, _ expected: [String]) throws {
        let (lines, refusal) = try lines(Data(input.utf8))
        #expect(lines.map { Array($0.utf8) } == expected.map { Array($0.utf8) } && refusal == nil)
    }

    @Test(
        "a byte order mark, a NUL and bytes that are not UTF-8 are refused by name",
        arguments: [
            (Data("a\n\u{FEFF}b\n".utf8), "byte order mark"), (Data("a\nb\u{0}c\n".utf8), "NUL"),
            (Data("a\n".utf8) + [0x62, 0, 0x0A, 0], "NUL"), (Data("a\n".utf8) + [0xFF, 0xFE, 0x62], "invalid bytes"),
            (Data("a\nb".utf8) + [0xE9, 0x0A], "invalid bytes"),
        ]
    )
    func refused(_ input: Data, _ name: String) throws {
        let (lines, refusal) = try lines(input)
        #expect(lines == ["a"] && refusal?.contains(name) == true, "\(refusal ?? "none")")
    }
}
