import NIOCore

/// A mail server's reply, which consists of a status code and lines of text (RFC 5321 §4.2).
struct SMTPReply: Hashable, Sendable {
    let status: Int
    let lines: [String]

    /// The status code and any enhanced status code, for logs, without the text, which could name a user.
    var summary: String { enhancedStatus.map { "\(status) \($0)" } ?? "\(status)" }

    var isPositive: Bool { (200..<300).contains(status) }

    /// Whether sending the message again would be pointless (RFC 5321 §4.2.3, RFC 4954 §6, RFC 3463 §3).
    ///
    /// An operator can fix other causes, such as the account or the server, while the message waits.
    func isFinal(at step: SMTPStep) -> Bool {
        guard (500..<600).contains(status), !Self.ofTheSession.contains(status) else { return false }
        guard let enhancedStatus else {
            return (step == .recipient || step == .mail) && (550...554).contains(status)
        }
        let parts = enhancedStatus.split(separator: ".")
        guard parts[0] == "5" else { return false }
        return switch parts[1] {
        // The address, its mailbox, or the content of the message is the problem.
        case "1", "2", "6": true
        // A security or policy rejection is about the message only if the server has already received the message.
        case "7": step == .mail
        default: false
        }
    }

    /// The status codes for commands in the wrong order, and for missing or insufficient authentication.
    private static let ofTheSession: Set<Int> = [503, 530, 534, 535, 538]

    /// The enhanced status code (RFC 3463), or `nil` if the reply contains none.
    private var enhancedStatus: Substring? {
        guard let first = lines.first?.prefix(while: { $0 != " " }), first.wholeMatch(of: Self.enhanced) != nil else {
            return nil
        }
        return first
    }

    nonisolated private static var enhanced: Regex<Substring> { /[245]\.[0-9]{1,3}\.[0-9]{1,3}/ }
}

enum SMTPStep: String, Sendable {
    case sender = "MAIL"
    case recipient = "RCPT"
    case data = "DATA"
    case mail = "the mail"
}

/// Parses replies, and rejects long replies and lines that do not end with CRLF (RFC 5321 §2.3.8).
struct SMTPReplyReader {
    /// The maximum length of a line in bytes, which is more than the 512 bytes of RFC 5321 §4.5.3.1.5.
    static let longestLine = 2048
    static let mostLines = 128

    private var bytes = ByteBuffer()
    private var lines: [String] = []
    private var status: Int?

    var isEmpty: Bool { bytes.readableBytes == 0 && status == nil }

    mutating func add(_ more: inout ByteBuffer) throws(MailError) {
        guard bytes.readableBytes + more.readableBytes <= Self.longestLine * Self.mostLines else {
            throw .unreachable("the mail server sent more than the requested reply")
        }
        bytes.writeBuffer(&more)
        bytes.discardReadBytes()
    }

    mutating func next() throws(MailError) -> SMTPReply? {
        while let line = try line() {
            let view = Array(line.prefix(4))
            guard view.count >= 3, let code = Self.code(view[..<3]),
                view.count == 3 || view[3] == UInt8(ascii: " ") || view[3] == UInt8(ascii: "-"),
                status ?? code == code, lines.count < Self.mostLines
            else { throw .unreachable("the mail server violates RFC 5321") }
            status = code
            lines.append(String(decoding: line.dropFirst(4), as: UTF8.self))
            if view.count == 4, view[3] == UInt8(ascii: "-") { continue }
            defer {
                status = nil
                lines = []
            }
            return SMTPReply(status: code, lines: lines)
        }
        return nil
    }

    private mutating func line() throws(MailError) -> [UInt8]? {
        guard let end = bytes.readableBytesView.firstIndex(of: UInt8(ascii: "\n")) else {
            guard bytes.readableBytes <= Self.longestLine else {
                throw .unreachable("the mail server sent a line of more than \(Self.longestLine) bytes")
            }
            return nil
        }
        let length = end - bytes.readerIndex + 1
        guard length <= Self.longestLine else {
            throw .unreachable("the mail server sent a line of more than \(Self.longestLine) bytes")
        }
        guard var line = bytes.readBytes(length: length), line.suffix(2) == [0x0D, 0x0A] else {
            throw .unreachable("the mail server sent a line end that violates RFC 5321")
        }
        line.removeLast(2)
        return line
    }

    private static func code(_ digits: ArraySlice<UInt8>) -> Int? {
        guard digits.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        let code = digits.reduce(0) { $0 * 10 + Int($1 - 0x30) }
        return (200..<600).contains(code) ? code : nil
    }
}
