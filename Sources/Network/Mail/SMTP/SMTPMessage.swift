import Foundation
import NIOCore
import OAuth

/// A mail as it travels behind DATA: lines ended by CRLF, dots doubled, a dot alone at its end (RFC 5321 §4.5.2).
struct SMTPMessage: Sendable {
    /// Bytes of a line without its end (RFC 5321 §4.5.3.1.6).
    static let longestLine = 998

    let bytes: ByteBuffer
    /// True if the mail is more than ASCII (RFC 6152).
    let needs8Bit: Bool

    /// - Parameter message: Headers and body, lines ended by CRLF.
    /// - Throws: `refused` if it has a line that cannot travel.
    init(_ message: Secret) throws(MailError) {
        let message = message.revealBytes()
        var buffer = ByteBuffer()
        buffer.reserveCapacity(message.count + 64)
        var lines = message.split(separator: 0x0A, omittingEmptySubsequences: false)
        if lines.last?.isEmpty == true { lines.removeLast() }
        for line in lines {
            // A carriage return alone would be a line's end to some servers, and what follows a command to them.
            let text = line.last == 0x0D ? line.dropLast() : line
            guard text.count <= Self.longestLine, !text.contains(0x0D) else {
                throw .refused("the mail has a line that cannot be sent")
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
