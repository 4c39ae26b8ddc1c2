import Foundation
import NIOCore
import OAuth

/// A message as sent after `DATA`, with CRLF line endings, doubled leading dots and a final dot line (RFC 5321 §4.5.2).
struct SMTPMessage: Sendable {
    /// The maximum length of a line in bytes, without CRLF (RFC 5321 §4.5.3.1.6).
    static let longestLine = 998

    let bytes: ByteBuffer
    /// Whether the message contains non-ASCII bytes (RFC 6152).
    let needs8Bit: Bool

    /// - Parameter message: The headers and the body, with lines that end with CRLF.
    /// - Throws: `refused` if a line is too long or contains a lone carriage return.
    init(_ message: Secret) throws(MailError) {
        let message = message.revealBytes()
        var buffer = ByteBuffer()
        buffer.reserveCapacity(message.count + 64)
        var lines = message.split(separator: 0x0A, omittingEmptySubsequences: false)
        if lines.last?.isEmpty == true { lines.removeLast() }
        for line in lines {
            // Some servers treat a lone carriage return as the end of a line and the text after it as a command.
            let text = line.last == 0x0D ? line.dropLast() : line
            guard text.count <= Self.longestLine, !text.contains(0x0D) else {
                throw .refused("the message has a line that cannot be sent")
            }
            if text.first == UInt8(ascii: ".") { buffer.writeInteger(UInt8(ascii: ".")) }
            buffer.writeBytes(text)
            buffer.writeStaticString("\r\n")
        }
        buffer.writeStaticString(".\r\n")
        bytes = buffer
        needs8Bit = !message.allSatisfy { $0 < 0x80 }
    }
}
