import Foundation
import OAuth
import Testing

@testable import Mail

@Suite(.timeLimit(.minutes(2)))
struct MailTests {
    private let date = Date(timeIntervalSince1970: 1_795_000_000)

    @Test("a mail is an RFC 5322 message with the code alone on a line") func message() throws {
        let mail = try Mail(
            to: "jo@example.org",
            from: "noreply@localhost",
            subject: "Your code",
            body: Secret("Your code is\n\n012345\n\nIt ends in 10 minutes.\n")
        )
        let text = mail.message(date: date, id: "1").reveal()
        #expect(
            text == """
                From: <noreply@localhost>\r
                To: <jo@example.org>\r
                Subject: Your code\r
                Date: Wed, 18 Nov 2026 11:06:40 +0000\r
                Message-ID: <1@localhost>\r
                MIME-Version: 1.0\r
                Content-Type: text/plain; charset=utf-8\r
                Content-Transfer-Encoding: 7bit\r
                Auto-Submitted: auto-generated\r
                \r
                Your code is\r
                \r
                012345\r
                \r
                It ends in 10 minutes.\r

                """
        )
    }

    @Test("non-ASCII words are encoded in the subject and in the body, in 7-bit lines") func unicode()
        throws
    {
        let mail = try Mail(
            to: "jo@example.org",
            from: "noreply@localhost",
            subject: "Ihr Bestätigungscode für „Aufgaben“, bitte nicht weitergeben",
            body: Secret("Grüße")
        )
        let text = mail.message(date: date, id: "1").reveal()
        #expect(text.contains("Subject: =?utf-8?B?"))
        #expect(text.contains("\r\n =?utf-8?B?"))
        #expect(text.contains("Content-Transfer-Encoding: quoted-printable"))
        #expect(text.hasSuffix("\r\n\r\nGr=C3=BC=C3=9Fe\r\n"))
        #expect(text.split(separator: "\r\n").allSatisfy { $0.utf8.count <= 200 })
        #expect(text.utf8.allSatisfy { $0 < 0x80 })
    }

    @Test(
        "quoted-printable text is decoded unchanged, with lines of at most 76 characters",
        arguments: ["Größe = 1", "ends in a space ", "\ttab\t", String(repeating: "ß=", count: 60), "123456", ""]
    )
    func quotedPrintable(_ line: String) throws {
        let written = Mail.quotedPrintable(line)
        #expect(written.split(separator: "\r\n").allSatisfy { $0.utf8.count <= 76 })
        var bytes: [UInt8] = []
        var rest = Array(written.replacing("=\r\n", with: "").utf8)[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "=") else {
                bytes.append(byte)
                continue
            }
            bytes.append(try #require(UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16)))
            rest = rest.dropFirst(2)
        }
        #expect(String(decoding: bytes, as: UTF8.self) == line)
        #expect(written.last != " " && written.last != "\t")
    }

    @Test(
        "an address that is invalid or contains a line break is rejected",
        arguments: [
            "", "jo", "@example.org", "jo@", "jo@a@b", "jo@example.org\r\nBcc: x@y", "jo>@example.org",
            "jo @example.org",
            "jo@\u{2615}.example", "jo,ann@example.org", "jo\u{202e}@example.org",
            String(repeating: "a", count: 250) + "@x.org",
        ]
    )
    func address(_ text: String) {
        #expect(throws: Mail.Invalid.address) {
            try Mail(to: text, from: "noreply@localhost", subject: "s", body: Secret("b"))
        }
        #expect(throws: Mail.Invalid.address) {
            try Mail(to: "noreply@localhost", from: text, subject: "s", body: Secret("b"))
        }
    }

    @Test("a domain beyond ASCII is sent in ASCII, so that only the local part needs SMTPUTF8") func domains() throws {
        let mail = try Mail(to: "jo@b\u{FC}cher.de", from: "no@XN--BCHER-KVA.de", subject: "s", body: Secret("b"))
        #expect(mail.to == "jo@xn--bcher-kva.de" && mail.from == "no@XN--BCHER-KVA.de")
    }

    @Test(
        "a subject with two lines or too many characters is rejected",
        arguments: ["a\nBcc: x", String(repeating: "a", count: 201)]
    )
    func subject(_ text: String) {
        #expect(throws: Mail.Invalid.subject) {
            try Mail(to: "a@b", from: "c@d", subject: text, body: Secret("b"))
        }
    }

    @Test("a body over 16 KiB is rejected") func body() {
        #expect(throws: Mail.Invalid.body) {
            try Mail(to: "a@b", from: "c@d", subject: "s", body: Secret(String(repeating: "x", count: 16_385)))
        }
    }
}
