import Foundation
import QRCode
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(2))) struct QRCodeTests {
    private static let reader = "/usr/bin/zbarimg"

    /// Returns the text that Debian's QR code reader finds in an image of the code.
    private func read(_ code: QRCode) throws -> String {
        try #require(
            FileManager.default.isExecutableFile(atPath: Self.reader),
            "Debian's package zbar-tools is missing; scripts/dependencies installs it"
        )
        let scale = 4
        let range = -QRCode.quietZone..<(code.size + QRCode.quietZone)
        var picture = Data("P5\n\(range.count * scale) \(range.count * scale)\n255\n".utf8)
        for row in range {
            let line = range.flatMap { column in
                [UInt8](repeating: code.isDark(row: row, column: column) ? 0 : 255, count: scale)
            }
            for _ in 0..<scale { picture.append(contentsOf: line) }
        }
        let folder = try TemporaryFolder()
        try picture.write(to: URL(fileURLWithPath: folder.path("code.pgm")))
        let outcome = try BuiltProgram(path: Self.reader)
            .run(["--quiet", "--raw", "-Sdisable", "-Sqrcode.enable", folder.path("code.pgm")])
        return outcome.output.trimmingCharacters(in: .newlines)
    }

    @Test(
        "another program reads every code size, full and with one byte more than the previous size",
        arguments: [
            1, 14, 15, 26, 27, 42, 43, 62, 63, 84, 85, 106, 107, 122, 123, 152, 153, 180, 181, 213, 214, 251, 252, 287,
            288, 331, 332, 362, 363, 412, 413, 450, 451, 504, 505, 560, 561, 624, 625, 666,
        ]
    )
    func sizes(_ length: Int) throws {
        let text = String("https://login.example/contoso/flow/".appending(Self.letters(length)).suffix(length))
        #expect(try read(try #require(QRCode(text))) == text)
    }

    @Test("a code is as small as its text allows") func versions() throws {
        #expect(try #require(QRCode(Self.letters(14))).size == 21)
        #expect(try #require(QRCode(Self.letters(15))).size == 25)
        #expect(try #require(QRCode(Self.letters(QRCode.mostBytes))).size == 97)
    }

    @Test("a text that does not fit has no code") func tooLong() {
        #expect(QRCode.mostBytes == 666)
        #expect(QRCode(Self.letters(667)) == nil)
    }

    @Test("in a terminal a code is dark on light, two rows per line, with a light border") func terminal() throws {
        let code = try #require(QRCode("https://a.example"))
        let lines = code.terminalLines
        #expect(lines.count == (code.size + 2 * QRCode.quietZone + 1) / 2)
        for line in lines {
            #expect(line.hasPrefix("\u{1B}[38;5;16;48;5;231m    ") && line.hasSuffix("    \u{1B}[0m"))
        }
        let plain = String(repeating: " ", count: code.size + 2 * QRCode.quietZone)
        #expect(lines.first == "\u{1B}[38;5;16;48;5;231m\(plain)\u{1B}[0m")
        // The third line contains the top of the upper left finder pattern.
        #expect(lines[2].contains("█▀▀▀▀▀█"))
    }

    /// Returns lower-case letters in an order that repeats only after 676 letters.
    private static func letters(_ count: Int) -> String {
        let bytes = (0..<count).map { index -> UInt8 in
            let step = index * 7 + index / 26
            return UInt8(97 + step % 26)
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
