import Foundation
import NIOCore
import NIOEmbedded
import OAuth
import Synchronization
import TestSupport
import Testing

@testable import Mail

/// The client against a mail server that others wrote, and against some that misbehave.
@Suite(.timeLimit(.minutes(2)))
struct SMTPClientTests {
    private let clock = TestClock()
    private let folder: TemporaryFolder
    private let tls: [String]
    private let certificate: String

    init() throws {
        folder = try TemporaryFolder()
        let files = try LocalCertificate.write(to: folder)
        certificate = files.certificate
        tls = ["--tls", files.certificate, files.privateKey]
    }

    private func client(
        _ server: TestMailServer,
        host: String = "localhost",
        requiresTLS: Bool = true,
        login: (String, String)? = nil,
        trusts: Bool = true,
        timers: NIOAsyncTestingEventLoop? = nil
    ) -> SMTPClient {
        let place = MailServer(host: host, port: server.port, requiresTLS: requiresTLS, username: login?.0)
        let password = login?.1
        return SMTPClient(
            server: place,
            certificates: trusts ? certificate : nil,
            limits: SMTPLimits(),
            timers: timers
        ) { password.map { Secret($0) } }
    }

    private func mail(to: String = "jo@example.org", body: String = "Hello\n.\n..dots\n012345\n") throws -> Mail {
        try Mail(to: to, from: "login@example.org", subject: "Your code", body: Secret(body))
    }

    /// Delivers and returns what went wrong.
    private func failure(_ client: SMTPClient, _ mail: Mail? = nil) async throws -> MailError {
        let mail = try mail ?? self.mail()
        return try #require(
            await #expect(throws: MailError.self) { try await client.deliver(mail, id: "m", now: clock.now) }
        )
    }

    @Test("a mail arrives whole over TLS, after a login", arguments: ["PLAIN", "LOGIN"])
    func delivers(_ mechanism: String) async throws {
        let server = try TestMailServer(tls + ["--login", "broker:a secret: ä", "--mechanism", mechanism])
        try await client(server, login: ("broker", "a secret: ä")).deliver(mail(), id: "one", now: clock.now)
        let mails = try server.mails()
        #expect(mails.count == 1)
        #expect(mails.first?.hasPrefix("from=login@example.org to=jo@example.org tls=True login=broker\r\n") == true)
        #expect(mails.first?.contains("\r\nMessage-ID: <one@example.org>\r\n") == true)
        #expect(mails.first?.hasSuffix("\r\n\r\nHello\r\n.\r\n..dots\r\n012345\r\n") == true)
    }

    @Test("text and addresses beyond ASCII arrive where the server takes them") func international() async throws {
        let server = try TestMailServer(tls)
        try await client(server).deliver(mail(to: "jö@example.org", body: "Grüße\n"), id: "m", now: clock.now)
        let mail = try #require(try server.mails().first)
        #expect(mail.hasPrefix("from=login@example.org to=jö@example.org") && mail.hasSuffix("Gr=C3=BC=C3=9Fe\r\n"))
        let plain = try TestMailServer(saying: ["220 x\r\n", "250 x\r\n", "221 x\r\n"])
        let client = client(plain, requiresTLS: false)
        #expect(try await failure(client, try self.mail(to: "jö@example.org")).code == .refused)
    }

    @Test(
        "a certificate of nobody who is trusted, or of another name, ends it before anything is said",
        arguments: [true, false]
    )
    func wrongCertificate(_ trusts: Bool) async throws {
        let server = try TestMailServer(tls)
        // The certificate is of localhost and 127.0.0.1.
        try await client(server, host: "127.0.0.1").deliver(mail(), id: "m", now: clock.now)
        let error = try await failure(client(server, host: trusts ? "::1" : "localhost", trusts: trusts))
        #expect(error.code == .untrusted, "\(error)")
        #expect(try server.mails().count == 1)
    }

    @Test("a server that offers no STARTTLS, or refuses it, gets no mail")
    func noTLS() async throws {
        let bare = try TestMailServer()
        #expect(try await failure(client(bare)) == .untrusted("localhost:\(bare.port) does not offer STARTTLS"))
        #expect(try bare.mails().isEmpty)
        let unwilling = try TestMailServer(saying: [
            "220 x\r\n", "250-x\r\n250 STARTTLS\r\n", "454 4.7.0 no\r\n", "221 x\r\n",
        ])
        let error = try await failure(client(unwilling))
        #expect(error == .untrusted("localhost:\(unwilling.port) answers STARTTLS with 454 4.7.0"))
        #expect(unwilling.heard().split(separator: "\r\n").map { $0.prefix(8) }.filter { $0.hasPrefix("MAIL") }.isEmpty)
    }

    @Test(
        "what was slipped in before TLS is never taken for an answer under it (RFC 3207)",
        arguments: ["", "250 slipped in\r\n", "2"]
    )
    func injection(_ slipped: String) async throws {
        let inside = ["250 x\r\n", "250 x\r\n", "250 x\r\n", "451 x\r\n", "221 x\r\n"]
        let server = try TestMailServer(
            saying: ["220 x\r\n", "250-x\r\n250 STARTTLS\r\n", "220 go\r\n\(slipped)<tls>"] + inside,
            tls
        )
        let error = try await failure(client(server))
        #expect(server.heard().contains("MAIL") == slipped.isEmpty)
        #expect(error.code == (slipped.isEmpty ? .deferred : .untrusted))
        #expect(error.description.contains("before it is asked") == !slipped.isEmpty, "\(error)")
    }

    @Test("a wrong password is the account's fault, so the mail waits") func wrongPassword() async throws {
        let server = try TestMailServer(tls + ["--login", "broker:right"])
        let error = try await failure(client(server, login: ("broker", "wrong")))
        #expect(error == .unusable("localhost:\(server.port) answers AUTH with 535 5.7.8"))
        #expect(error.isWorthAnotherTry)
        #expect(try await failure(client(server)).code == .deferred, "a login that the server wants can be configured")
    }

    @Test("without TLS there is a login on loopback only") func plainLogin() async throws {
        let server = try TestMailServer(["--login", "broker:right"])
        let login = ("broker", "right")
        try await client(server, host: "127.0.0.1", requiresTLS: false, login: login).deliver(
            mail(),
            id: "m",
            now: clock.now
        )
        // The same address in a spelling that does not say so.
        let error = try await failure(client(server, host: "127.1", requiresTLS: false, login: login))
        #expect(error == .untrusted("no password is sent to 127.1:\(server.port) without TLS"))
        let none = try TestMailServer(saying: ["220 x\r\n", "250 AUTH CRAM-MD5\r\n", "221 x\r\n"])
        #expect(try await failure(client(none, requiresTLS: false, login: login)).code == .untrusted)
    }

    @Test("a mail that is not taken now is taken later", arguments: ["MAIL", "RCPT", "DATA"]) func deferred(
        _ step: String
    ) async throws {
        let server = try TestMailServer(tls)
        try server.answer(step, with: "451 4.7.1 later")
        let error = try await failure(client(server))
        #expect(
            error.code == .deferred && error.isWorthAnotherTry && error.description.hasSuffix("451 4.7.1"),
            "\(error)"
        )
        try await client(server).deliver(mail(), id: "m", now: clock.now)
    }

    @Test("a mail that never is taken is refused, in words without the person", arguments: ["MAIL", "RCPT"])
    func refused(_ step: String) async throws {
        let server = try TestMailServer(tls)
        try server.answer(step, with: "550 5.1.1 <jo@example.org> is nobody")
        let error = try await failure(client(server))
        #expect(error == .refused("localhost:\(server.port) answers \(step) with 550 5.1.1"))
        #expect(!error.isWorthAnotherTry)
        #expect(try server.mails().isEmpty)
    }

    @Test(
        "what is no mail server is said to be unreachable",
        arguments: [
            ["garbage\r\n"], [String(repeating: "2", count: 3_000)], ["HTTP/1.1 400 Bad Request\r\n\r\n"],
            [String(repeating: "220-a\r\n", count: 200)], ["220-a\r\n221 b\r\n"], ["220 x\n"], ["close"],
            ["220 x\r\n", "close"], ["220 x\r\n", "nonsense\r\n"],
        ]
    )
    func garbage(_ lines: [String]) async throws {
        let timers = NIOAsyncTestingEventLoop()
        #expect(try await failure(client(try TestMailServer(saying: lines), timers: timers)).code == .unreachable)
    }

    @Test(
        "what says no more in the middle of an answer is said to be unreachable when its time is over",
        arguments: [[], ["\u{0}\u{1}\u{2}\u{3}\u{4}"], ["220 x\r\n", "250-x\r\n", "250-y\r\n"]]
    )
    func unfinished(_ lines: [String]) async throws {
        let server = try TestMailServer(saying: lines)
        let timers = NIOAsyncTestingEventLoop()
        let isOver = Mutex(false)
        let delivery = Task {
            defer { isOver.withLock { $0 = true } }
            return try await failure(client(server, timers: timers))
        }
        try await waitUntil("the delivery is given up") {
            await timers.advanceTime(by: TimeAmount(SMTPLimits().step))
            return isOver.withLock { $0 }
        }
        #expect(try await delivery.value.code == .unreachable)
    }

    @Test("a server that is busy at once is asked again") func busy() async throws {
        let server = try TestMailServer(saying: ["421 4.3.2 busy\r\n", "221 x\r\n"])
        let error = try await failure(client(server))
        #expect(error == .deferred("localhost:\(server.port) greets with 421 4.3.2"))
    }

    @Test("answers that come one by one, each in time, do not make it last longer than it may") func slow() async throws
    {
        let server = try TestMailServer(saying: ["220 x\r\n", "250 x\r\n", "250 x\r\n", "250 x\r\n"])
        let timers = NIOAsyncTestingEventLoop()
        let isOver = Mutex(false)
        let delivery = Task {
            defer { isOver.withLock { $0 = true } }
            return try await failure(client(server, requiresTLS: false, timers: timers))
        }
        let limits = SMTPLimits()
        let pause: Duration = .seconds(15)
        #expect(pause < limits.step && pause * 3 >= limits.whole)
        for said in ["EHLO ", "MAIL ", "RCPT "] {
            try await waitUntil("\(said) is heard") { server.heard().contains(said) }
            await timers.advanceTime(by: TimeAmount(pause))
        }
        try await waitUntil("the delivery is given up") {
            await timers.run()
            return isOver.withLock { $0 }
        }
        #expect(try await delivery.value.code == .unreachable)
    }

    @Test("the answer to the mail itself may come after all the rest must have been said") func late() async throws {
        let server = try TestMailServer(saying: ["220 x\r\n", "250 x\r\n", "250 x\r\n"])
        let client = client(server, requiresTLS: false)
        let channel = try await client.connect()
        func dialogue(_ end: NIODeadline) -> SMTPDialogue {
            SMTPDialogue(
                channel: channel,
                timers: channel.eventLoop,
                server: client.server,
                limits: SMTPLimits(),
                end: end
            )
        }
        _ = try await dialogue(.distantFuture).open(SMTPTrust(file: nil))
        let late = dialogue(.now())
        try await late.handOver(SMTPMessage(Secret("a: b\r\n\r\nc\r\n")))
        #expect(server.heard().hasPrefix("EHLO ") && server.heard().hasSuffix("\r\na: b\r\n"))
        // Of everything else it is the end.
        let error = await #expect(throws: MailError.self) { try await late.open(SMTPTrust(file: nil)) }
        #expect(error?.code == .unreachable)
    }

    @Test("the answer to the mail itself has a limit, too") func noVerdict() async throws {
        let server = try TestMailServer(saying: [
            "220 x\r\n", "250 x\r\n", "250 x\r\n", "250 x\r\n", "354 x\r\n", "250-x\r\n",
        ])
        let timers = NIOAsyncTestingEventLoop()
        let delivery = Task { try await failure(client(server, requiresTLS: false, timers: timers)) }
        // The beginning of the mail is the fifth line; of the answer to it only the first line comes.
        try await waitUntil("the mail is heard") { server.heard().split(separator: "\r\n").count == 5 }
        await timers.advanceTime(by: TimeAmount(SMTPLimits().verdict))
        let error = try await delivery.value
        #expect(error == .unreachable("localhost:\(server.port) did not send an answer to the mail in time"))
    }

    @Test("a mail is not given to another try before a server may have answered for it") func lease() {
        let limits = SMTPLimits()
        #expect(limits.whole + limits.verdict + limits.farewell < SMTPClient.longestDelivery)
    }

    @Test("nobody there, and a name that is none, are said") func nobody() async throws {
        for host in ["127.0.0.1", "no-such-host.invalid"] {
            let place = MailServer(host: host, port: freePort(), requiresTLS: true, username: nil)
            let error = try await failure(SMTPClient(server: place, certificates: nil) { nil })
            #expect(error.code == .unreachable && error.description.hasPrefix("\(place) is not reached"), "\(error)")
        }
    }

    @Test("a mail whose answer got lost is sent again under the same id: it arrives at least once") func lostAnswer()
        async throws
    {
        let server = try TestMailServer(tls)
        try server.answer("DATA", with: "close")
        #expect(try await failure(client(server)).code == .unreachable)
        try await client(server).deliver(mail(), id: "m", now: clock.now)
        let mails = try server.mails()
        #expect(mails.count == 2 && mails.allSatisfy { $0.contains("Message-ID: <m@example.org>") })
    }

    @Test("authorities that cannot be read are said") func noAuthorities() async throws {
        let server = try TestMailServer(tls)
        let place = MailServer(host: "localhost", port: server.port, requiresTLS: true, username: nil)
        let client = SMTPClient(server: place, certificates: folder.path("absent.pem")) { nil }
        #expect(try await failure(client).code == .unusable)
    }

    @Test("a probe looks as far as TLS, and hands nothing over") func probe() async throws {
        let server = try TestMailServer(tls + ["--login", "broker:right"])
        try await client(server).probe()
        #expect(try server.mails().isEmpty)
        let error = await #expect(throws: MailError.self) { try await client(server, trusts: false).probe() }
        #expect(error?.code == .untrusted)
    }
}
