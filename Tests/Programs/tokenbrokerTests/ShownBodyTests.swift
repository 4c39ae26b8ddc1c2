import Foundation
import Testing

@testable import BrokerCommands

@Suite(.timeLimit(.minutes(1)))
struct ShownBodyTests {
    /// Returns what is printed for a body that arrives in parts of `parts` bytes.
    private func printed(_ bytes: [UInt8], parts: Int, isOnTerminal: Bool) -> [UInt8] {
        var shown = ShownBody(isOnTerminal: isOnTerminal)
        var printed: [UInt8] = []
        for start in stride(from: 0, to: bytes.count, by: parts) {
            printed += shown.printed(bytes[start..<min(start + parts, bytes.count)])
        }
        return printed + shown.end()
    }

    @Test(
        "a file gets the body unchanged, and a terminal gets it with deceptive characters replaced, however it arrives",
        arguments: 1...5
    )
    func parts(_ size: Int) {
        let body = "Zoë 日本 🚀\r\n\u{1B}[2Jpay\u{E0050}\u{200B}\u{202E}x"
        let bytes = Array(body.utf8)
        #expect(printed(bytes, parts: size, isOnTerminal: false) == bytes)
        let shown = String(decoding: printed(bytes, parts: size, isOnTerminal: true), as: UTF8.self)
        #expect(shown.hasPrefix("Zoë 日本 🚀") && shown.hasSuffix("[2Jpay\u{FFFD}\u{FFFD}\u{FFFD}x\n"))
        #expect(!shown.unicodeScalars.contains("\u{1B}"))
    }

    @Test("bytes that are not UTF-8, and an incomplete character, are shown as such") func broken() {
        let shown = printed([0x61, 0xFF, 0xE2, 0x80], parts: 2, isOnTerminal: true)
        #expect(String(decoding: shown, as: UTF8.self).hasPrefix("a\u{FFFD}"))
        #expect(!shown.contains(0xFF))
    }
}
