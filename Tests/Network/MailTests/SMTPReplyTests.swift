import Foundation
import NIOCore
import OAuth
import Testing

@testable import Mail

@Suite(.timeLimit(.minutes(2)))
struct SMTPReplyTests {
    private func replies(_ pieces: [String]) throws -> [SMTPReply] {
        var reader = SMTPReplyReader()
        var replies: [SMTPReply] = []
        for piece in pieces {
            var bytes = ByteBuffer(string: piece)
            try reader.add(&bytes)
            while let reply = try reader.next() { replies.append(reply) }
        }
        return replies
    }

    @Test("a reply is parsed in whatever pieces it arrives") func pieces() throws {
        let text = "250-mail.test\r\n250-AUTH PLAIN LOGIN\r\n250 STARTTLS\r\n"
        let whole = [SMTPReply(status: 250, lines: ["mail.test", "AUTH PLAIN LOGIN", "STARTTLS"])]
        #expect(try replies([text]) == whole)
        #expect(try replies(text.map(String.init)) == whole)
        #expect(try replies(["220\r\n"]) == [SMTPReply(status: 220, lines: [""])])
        #expect(try replies(["220 a\r\n221 b\r\n"]).map(\.status) == [220, 221])
        #expect(try replies(["250-a\r\n250"]).isEmpty)
    }

    @Test(
        "an invalid reply is rejected",
        arguments: [
            "hello\r\n", "22 x\r\n", "2200 x\r\n", "220x\r\n", "\r\n", "220 x\n", "220 x\r\r\n220\n", "99 \r\n",
            "199 x\r\n",
            "600 x\r\n", "220-a\r\n221 b\r\n", "-20 x\r\n", "２２０ x\r\n", "250 " + String(repeating: "a", count: 3000),
            "250 " + String(repeating: "a", count: 3000) + "\r\n", String(repeating: "250-a\r\n", count: 129),
        ]
    )
    func refused(_ text: String) {
        let error = #expect(throws: MailError.self) { try replies([text]) }
        #expect(error?.code == .unreachable)
    }

    @Test("a reply that is too long is not stored") func bound() {
        var reader = SMTPReplyReader()
        var bytes = ByteBuffer(repeating: 0x61, count: SMTPReplyReader.longestLine * SMTPReplyReader.mostLines + 1)
        let error = #expect(throws: MailError.self) { try reader.add(&bytes) }
        #expect(error?.code == .unreachable)
    }

    @Test("a log contains only the codes of a reply") func summary() {
        #expect(SMTPReply(status: 550, lines: ["5.1.1 <bob@example.org>: no such user"]).summary == "550 5.1.1")
        #expect(SMTPReply(status: 550, lines: ["bob@example.org is unknown"]).summary == "550")
        #expect(SMTPReply(status: 550, lines: ["5.1.bob@example.org"]).summary == "550")
    }

    @Test(
        "only errors of the mail itself are final, and errors that an operator can fix are retried",
        arguments: finals
    )
    func final(_ text: String, _ final: Set<SMTPStep>) throws {
        let reply = try #require(try replies([text + "\r\n"]).first)
        for step in [SMTPStep.sender, .recipient, .data, .mail] {
            #expect(reply.isFinal(at: step) == final.contains(step), "\(text) at \(step)")
        }
    }

    private static let everywhere: Set<SMTPStep> = [.sender, .recipient, .data, .mail]
    private static let finals: [(String, Set<SMTPStep>)] = [
        ("250 2.0.0 Ok", []), ("421 4.3.2 shutting down", []), ("450 4.2.1 later", []), ("451 later", []),
        // Replies about the session or the account.
        ("503 5.5.1 MAIL first", []), ("503 bad sequence", []), ("530 5.7.0 Authentication required", []),
        ("530 5.1.1 x", []), ("534 5.7.9 x", []), ("535 5.7.8 x", []), ("538 5.7.11 Encryption required", []),
        // Replies about the policy of the server.
        ("550 5.7.1 relaying denied", [.mail]), ("554 5.7.1 x", [.mail]), ("553 5.7.1 not your address", [.mail]),
        // Replies about the address, the mailbox or the content.
        ("550 5.1.1 no such user", everywhere), ("501 5.1.3 x", everywhere), ("552 5.2.2 full", everywhere),
        ("554 5.6.0 x", everywhere),
        // Replies about the server or the protocol.
        ("552 5.3.4 x", []), ("550 5.4.1 x", []), ("555 5.5.4 x", []), ("554 4.7.1 x", []),
        // Replies without an enhanced status code.
        ("550 no such user", [.recipient, .mail]), ("551 x", [.recipient, .mail]), ("552 x", [.recipient, .mail]),
        ("553 x", [.recipient, .mail]), ("554", [.recipient, .mail]), ("500 x", []), ("501 x", []), ("502 x", []),
        ("504 x", []), ("555 x", []),
    ]
}

@Suite(.timeLimit(.minutes(2)))
struct SMTPMessageTests {
    private func text(_ message: String) throws -> String {
        String(buffer: try SMTPMessage(Secret(message)).bytes)
    }

    @Test("RFC 5321 §4.5.2: a dot at the beginning of a line is doubled, and a single dot ends the data") func dots()
        throws
    {
        #expect(try text("a: b\r\n\r\n.\r\n..c\r\nd.\r\n") == "a: b\r\n\r\n..\r\n...c\r\nd.\r\n.\r\n")
        #expect(try text("a\r\n\r\nno end") == "a\r\n\r\nno end\r\n.\r\n")
        #expect(try text("a\nb\n") == "a\r\nb\r\n.\r\n")
    }

    @Test("a line that servers could split or join is rejected")
    func lines() {
        for message in ["a\rb\r\n", "a\r\r\n", String(repeating: "a", count: 999) + "\r\n"] {
            let error = #expect(throws: MailError.self) { try text(message) }
            #expect(error?.code == .refused)
        }
    }

    @Test("a message states whether it contains more than ASCII") func eightBit() throws {
        #expect(try !SMTPMessage(Secret("a\r\n")).needs8Bit)
        #expect(try SMTPMessage(Secret("ä\r\n")).needs8Bit)
    }
}
