public import Foundation
public import OAuth

/// A plain-text email message to one recipient.
public struct Mail: Hashable, Sendable {
    /// The reasons why a message can be invalid.
    public enum Invalid: Error, Hashable, Sendable {
        /// An address is malformed or too long, or contains characters that could change the meaning of a header field.
        case address
        /// The subject is longer than 200 characters, or contains a line break or another control character.
        case subject
        /// The body is longer than ``Mail/maximumBodySize`` bytes.
        case body
    }

    /// The maximum length of a message body, in bytes.
    public static let maximumBodySize = 16_384

    /// The recipient's address, with its domain in ASCII.
    public let to: String
    /// The sender's address, with its domain in ASCII.
    public let from: String
    /// The subject, which contains no line breaks.
    public let subject: String
    /// The body with lines that end in `\n`, which is secret because it can contain a verification code.
    public let body: Secret

    /// Creates a message, or throws ``Invalid`` if an address, the subject or the body is invalid.
    public init(to: String, from: String, subject: String, body: Secret) throws(Invalid) {
        guard let to = MailAddress.ascii(to), let from = MailAddress.ascii(from), Self.isAddress(to),
            Self.isAddress(from)
        else { throw .address }
        guard subject.count <= 200,
            !subject.unicodeScalars.contains(where: { $0.properties.generalCategory == .control })
        else { throw .subject }
        guard body.count <= Self.maximumBodySize else { throw .body }
        self.to = to
        self.from = from
        self.subject = subject
        self.body = body
    }

    /// Returns the message with CRLF line endings (RFC 5322, RFC 6532) and `id` before the `@` of `Message-ID`.
    public func message(date: Date, id: String) -> Secret {
        let domain = from.split(separator: "@").last.map(String.init) ?? "localhost"
        let text = body.reveal()
        let isPlain = text.utf8.allSatisfy { $0 < 0x80 }
        let headers = [
            "From: <\(from)>",
            "To: <\(to)>",
            "Subject: \(Self.encodedWords(subject))",
            "Date: \(Self.dateText(date))",
            "Message-ID: <\(id)@\(domain)>",
            "MIME-Version: 1.0",
            "Content-Type: text/plain; charset=utf-8",
            "Content-Transfer-Encoding: \(isPlain ? "7bit" : "quoted-printable")",
            "Auto-Submitted: auto-generated",
        ]
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map { line in
            let line = line.filter { $0 != "\r" }
            return isPlain ? line : Self.quotedPrintable(line)
        }
        let ending = lines.last?.isEmpty == true ? "" : "\r\n"
        return Secret(headers.joined(separator: "\r\n") + "\r\n\r\n" + lines.joined(separator: "\r\n") + ending)
    }

    /// Encodes a line of text as quoted-printable ASCII lines of at most 76 characters each (RFC 2045 §6.7).
    static func quotedPrintable(_ line: String) -> String {
        let bytes = Array(line.utf8)
        var text = ""
        var width = 0
        for (index, byte) in bytes.enumerated() {
            let isLiteral =
                switch byte {
                case 0x3D: false
                case 0x09, 0x20: index < bytes.count - 1
                default: (0x21...0x7E).contains(byte)
                }
            let hex = String(byte, radix: 16, uppercase: true)
            let piece = isLiteral ? String(UnicodeScalar(byte)) : "=" + (byte < 16 ? "0" : "") + hex
            if width + piece.count > 75 {
                text += "=\r\n"
                width = 0
            }
            text += piece
            width += piece.count
        }
        return text
    }

    private static func isAddress(_ text: String) -> Bool {
        let parts = text.split(separator: "@", omittingEmptySubsequences: false)
        guard parts.count == 2, parts.allSatisfy({ !$0.isEmpty }), text.utf8.count <= 254 else { return false }
        let special: Set<Unicode.Scalar> = ["<", ">", "(", ")", "[", "]", ",", ";", ":", "\\", "\"", " "]
        return text.unicodeScalars.allSatisfy { scalar in
            if special.contains(scalar) { return false }
            return switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator, .spaceSeparator, .surrogate, .unassigned: false
            default: true
            }
        }
    }

    /// Returns a subject as encoded words of at most 75 characters (RFC 2047 §2), unless it is printable ASCII.
    private static func encodedWords(_ text: String) -> String {
        guard !text.utf8.allSatisfy({ (0x20..<0x7f).contains($0) }) else { return text }
        var words: [String] = []
        var word = ""
        for character in text {
            if word.utf8.count + character.utf8.count > 45 {
                words.append(word)
                word = ""
            }
            word.append(character)
        }
        words.append(word)
        return words.map { "=?utf-8?B?\(Data($0.utf8).base64EncodedString())?=" }.joined(separator: "\r\n ")
    }

    private static func dateText(_ date: Date) -> String {
        let formatter = DateFormatter()
        formatter.locale = Locale(identifier: "en_US_POSIX")
        formatter.timeZone = TimeZone(secondsFromGMT: 0)
        formatter.dateFormat = "EEE, dd MMM yyyy HH:mm:ss '+0000'"
        return formatter.string(from: date)
    }
}
