import NIOCore

/// Reply of a mail server: a status and lines of text (RFC 5321 §4.2).
struct SMTPReply: Hashable, Sendable {
    let status: Int
    /// The text behind the status, line by line.
    let lines: [String]

    /// Text for a log: the status and the enhanced one (RFC 3463), since the words can name a person.
    var summary: String { enhancedStatus.map { "\(status) \($0)" } ?? "\(status)" }

    /// True for a positive completion.
    var isPositive: Bool { (200..<300).contains(status) }

    /// True if this mail will never be taken, whoever hands it over.
    ///
    /// Any other refusal is of the session, the account, the server or who mails are from: an operator can mend it while the
    /// mail waits (RFC 5321 §4.2.3, RFC 4954 §6, RFC 3463 §3).
    func isFinal(at step: SMTPStep) -> Bool {
        guard (500..<600).contains(status), !Self.ofTheSession.contains(status) else { return false }
        guard let enhancedStatus else {
            return (step == .recipient || step == .mail) && (550...554).contains(status)
        }
        let parts = enhancedStatus.split(separator: ".")
        guard parts[0] == "5" else { return false }
        return switch parts[1] {
        // The address, its mailbox, what the mail is made of.
        case "1", "2", "6": true
        // Security and policy: of the mail only once it has been seen.
        case "7": step == .mail
        default: false
        }
    }

    /// Commands out of order, and what is answered to who has not logged in or not well enough.
    private static let ofTheSession: Set<Int> = [503, 530, 534, 535, 538]

    /// The status of RFC 3463, if there is one.
    private var enhancedStatus: Substring? {
        guard let first = lines.first?.prefix(while: { $0 != " " }), first.wholeMatch(of: Self.enhanced) != nil else {
            return nil
        }
        return first
    }

    nonisolated private static var enhanced: Regex<Substring> { /[245]\.[0-9]{1,3}\.[0-9]{1,3}/ }
}

/// Step of handing over a mail that a reply belongs to.
enum SMTPStep: String, Sendable {
    case sender = "MAIL"
    case recipient = "RCPT"
    case data = "DATA"
    /// After the final dot.
    case mail = "the mail"
}

/// Reads replies out of the bytes that arrive; bounded, and strict about line ends (RFC 5321 §2.3.8).
struct SMTPReplyReader {
    /// Bytes of a line, the longest that RFC 5321 §4.5.3.1.5 knows being 512.
    static let longestLine = 2048
    /// Lines of a reply.
    static let mostLines = 128

    private var bytes = ByteBuffer()
    private var lines: [String] = []
    private var status: Int?

    /// True if no bytes wait to be taken.
    var isEmpty: Bool { bytes.readableBytes == 0 && status == nil }

    /// Adds what arrived.
    mutating func add(_ more: inout ByteBuffer) throws(MailError) {
        guard bytes.readableBytes + more.readableBytes <= Self.longestLine * Self.mostLines else {
            throw .unreachable("the mail server says more than it was asked")
        }
        bytes.writeBuffer(&more)
        bytes.discardReadBytes()
    }

    /// The next reply, as soon as it is there whole.
    mutating func next() throws(MailError) -> SMTPReply? {
        while let line = try line() {
            let view = Array(line.prefix(4))
            guard view.count >= 3, let code = Self.code(view[..<3]),
                view.count == 3 || view[3] == UInt8(ascii: " ") || view[3] == UInt8(ascii: "-"),
                status ?? code == code, lines.count < Self.mostLines
            else { throw .unreachable("the mail server does not answer as RFC 5321 says") }
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
                throw .unreachable("the mail server sends a line of more than \(Self.longestLine) bytes")
            }
            return nil
        }
        let length = end - bytes.readerIndex + 1
        guard length <= Self.longestLine else {
            throw .unreachable("the mail server sends a line of more than \(Self.longestLine) bytes")
        }
        guard var line = bytes.readBytes(length: length), line.suffix(2) == [0x0D, 0x0A] else {
            throw .unreachable("the mail server ends a line otherwise than RFC 5321 says")
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
