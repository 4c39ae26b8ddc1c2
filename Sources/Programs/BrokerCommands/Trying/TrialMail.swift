import FlowModel
import Foundation
import OAuth
import Terminal

/// A message in the outbox (RFC 5322).
struct TrialMail: Sendable {
    private let headers: [String: String]
    private let body: String

    init?(_ data: Data) {
        let text = String(decoding: data, as: UTF8.self).replacing("\r\n", with: "\n")
        guard let gap = text.range(of: "\n\n") else { return nil }
        let lines = text[..<gap.lowerBound].replacing("\n ", with: " ").split(separator: "\n")
        headers = Dictionary(
            lines.compactMap { line in
                line.firstIndex(of: ":").map {
                    (line[..<$0].lowercased(), line[line.index(after: $0)...].trimmingCharacters(in: .whitespaces))
                }
            }
        ) { first, _ in first }
        let content = String(text[gap.upperBound...])
        body = headers["content-transfer-encoding"] == "quoted-printable" ? Self.quotedPrintable(content) : content
    }

    /// The six-digit code that is on a line of its own, or `nil` if the message contains no code.
    var code: String? {
        body.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }.first {
            $0.count == 6 && $0.allSatisfy { ("0"..."9").contains($0) }
        }
    }

    var shown: String {
        let heading = Text(
            "cli.trial.mail",
            [
                "to": PlainText.line(headers["to"] ?? ""),
                "subject": PlainText.line(Self.words(headers["subject"] ?? "")),
            ]
        ).text
        let lines = PlainText.lines(body.trimmingCharacters(in: .newlines)).split(
            separator: "\n",
            omittingEmptySubsequences: false
        )
        return ([heading] + lines.map { "  | \($0)" }).joined(separator: "\n")
    }

    /// Decodes a header field (RFC 2047).
    private static func words(_ text: String) -> String {
        text.split(separator: " ").map { word -> String in
            guard word.hasPrefix("=?utf-8?B?"), word.hasSuffix("?="),
                let data = Data(base64Encoded: String(word.dropFirst(10).dropLast(2)))
            else { return word + " " }
            return String(decoding: data, as: UTF8.self)
        }.joined().trimmingCharacters(in: .whitespaces)
    }

    /// Decodes quoted-printable text (RFC 2045 §6.7).
    private static func quotedPrintable(_ text: String) -> String {
        var bytes: [UInt8] = []
        var rest = Array(text.replacing("=\n", with: "").utf8)[...]
        while let byte = rest.popFirst() {
            let digits = String(decoding: rest.prefix(2), as: UTF8.self)
            if byte == UInt8(ascii: "="), let value = UInt8(digits, radix: 16) {
                bytes.append(value)
                rest = rest.dropFirst(2)
            } else {
                bytes.append(byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
