import Foundation
import NIOCore
import NIOEmbedded
import OAuth
import Synchronization
import TestSupport
import Testing

@testable import Mail
@testable import OutgoingHTTP

/// Tests the SMTP client with an independent mail server, and with servers that misbehave.
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
        limits: SMTPLimits = SMTPLimits(),
        timers: NIOAsyncTestingEventLoop? = nil
    ) -> SMTPClient {
        let place = MailServer(host: host, port: server.port, requiresTLS: requiresTLS, username: login?.0)
        let password = login?.1
        return SMTPClient(
            server: place,
            certificates: trusts ? certificate : nil,
            limits: limits,
            timers: timers
        ) { password.map { Secret($0) } }
    }

    /// Runs `test` with an event loop whose time advances only when the test advances it.
    private func withTimers(_ test: (NIOAsyncTestingEventLoop) async throws -> Void) async throws {
        let timers = NIOAsyncTestingEventLoop()
        Self.loops.withLock { $0.append(timers) }
        try await test(timers)
    }

    /// The event loops of all tests.
    ///
    /// They never end, because a connection may close and cancel its timers after its test has ended.
    private static let loops = Mutex<[NIOAsyncTestingEventLoop]>([])

    private func mail(to: String = "jo@example.org", body: String = "Hello\n.\n..dots\n012345\n") throws -> Mail {
        try Mail(to: to, from: "login@example.org", subject: "Your code", body: Secret(body))
    }

    /// Tries to deliver a message, and returns the error.
    private func failure(_ client: SMTPClient, _ mail: Mail? = nil) async throws -> MailError {
        let mail = try mail ?? self.mail()
        return try #require(
            await #expect(throws: MailError.self) { try await client.deliver(mail, id: "m", now: clock.now) }
        )
    }

    @Test("a mail is delivered completely over TLS, after a login", arguments: ["PLAIN", "LOGIN"])
    func delivers(_ mechanism: String) async throws {
        let server = try TestMailServer(tls + ["--login", "broker:a secret: ä", "--mechanism", mechanism])
        try await client(server, login: ("broker", "a secret: ä")).deliver(mail(), id: "one", now: clock.now)
        let mails = try server.mails()
        #expect(mails.count == 1)
        #expect(mails.first?.hasPrefix("from=login@example.org to=jo@example.org tls=True login=broker\r\n") == true)
        #expect(mails.first?.contains("\r\nMessage-ID: <one@example.org>\r\n") == true)
        #expect(mails.first?.hasSuffix("\r\n\r\nHello\r\n.\r\n..dots\r\n012345\r\n") == true)
    }

    @Test("text and addresses beyond ASCII are delivered if the server supports them") func international() async throws
    {
        let server = try TestMailServer(tls)
        try await client(server).deliver(mail(to: "jö@example.org", body: "Grüße\n"), id: "m", now: clock.now)
        let mail = try #require(try server.mails().first)
        #expect(mail.hasPrefix("from=login@example.org to=jö@example.org") && mail.hasSuffix("Gr=C3=BC=C3=9Fe\r\n"))
        let plain = try TestMailServer(saying: ["220 x\r\n", "250 x\r\n", "221 x\r\n"])
        let client = client(plain, requiresTLS: false)
        #expect(try await failure(client, try self.mail(to: "jö@example.org")).code == .refused)
    }

    @Test(
        "an untrusted certificate, or one with another name, ends the connection before anything is sent",
        arguments: [true, false]
    )
    func wrongCertificate(_ trusts: Bool) async throws {
        let server = try TestMailServer(tls)
        // The certificate names only `localhost` and `127.0.0.1`.
        try await client(server, host: "127.0.0.1").deliver(mail(), id: "m", now: clock.now)
        let error = try await failure(client(server, host: trusts ? "::1" : "localhost", trusts: trusts))
        #expect(error.code == .untrusted, "\(error)")
        let cause: OutgoingFailure.Cause = trusts ? .certificateName : .untrustedIssuer("CN=localhost")
        #expect(error.failure == OutgoingFailure(cause, at: trusts ? "::1" : "localhost"), "\(error)")
        #expect(error.description == error.failure?.description)
        #expect(try server.mails().count == 1)
    }

    @Test("the connection that reads an untrusted certificate sends nothing after the TLS handshake but QUIT")
    func readsCertificate() async throws {
        let lines = ["220 x\r\n", "250-x\r\n250 STARTTLS\r\n", "220 go\r\n<tls>", "221 x\r\n"]
        let server = try TestMailServer(saying: lines, tls)
        let error = try await failure(client(server, login: ("broker", "Planted-pass"), trusts: false))
        let sentence = "This machine does not trust the issuer of the certificate of localhost: CN=localhost. "
        #expect(error.code == .untrusted && error.description.hasPrefix(sentence), "\(error)")
        let commands = server.heard().split(separator: "\r\n").map { $0.prefix { $0 != " " } }
        #expect(commands.prefix(4) == ["EHLO", "STARTTLS", "EHLO", "STARTTLS"] && commands.count <= 5, "\(commands)")
        #expect(commands.dropFirst(4).allSatisfy { $0 == "QUIT" }, "\(commands)")
    }

    @Test("a server that does not offer STARTTLS, or refuses it, gets no mail")
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
        "input injected before TLS is never read as a response under it (RFC 3207)",
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
        #expect(error.description.contains("without a request") == !slipped.isEmpty, "\(error)")
    }

    @Test("a wrong password is a fault of the account, so the mail waits") func wrongPassword() async throws {
        let server = try TestMailServer(tls + ["--login", "broker:right"])
        let error = try await failure(client(server, login: ("broker", "wrong")))
        #expect(error == .unusable("localhost:\(server.port) answers AUTH with 535 5.7.8"))
        #expect(error.isWorthAnotherTry)
        #expect(try await failure(client(server)).code == .deferred, "a login that the server wants can be configured")
    }

    @Test("without TLS a login is allowed on loopback only") func plainLogin() async throws {
        let server = try TestMailServer(["--login", "broker:right"])
        let login = ("broker", "right")
        try await client(server, host: "127.0.0.1", requiresTLS: false, login: login).deliver(
            mail(),
            id: "m",
            now: clock.now
        )
        // `127.1` means the same address, but the client does not take it for a local address.
        let error = try await failure(client(server, host: "127.1", requiresTLS: false, login: login))
        #expect(error == .untrusted("no password is sent to 127.1:\(server.port) without TLS"))
        let none = try TestMailServer(saying: ["220 x\r\n", "250 AUTH CRAM-MD5\r\n", "221 x\r\n"])
        #expect(try await failure(client(none, requiresTLS: false, login: login)).code == .untrusted)
    }

    @Test("without TLS a local server of another user gets nothing, unless its port is trusted") func otherUser()
        async throws
    {
        let other = try OtherUserProcess()
        let port = try other.listen(at: "127.0.0.1")
        let place = MailServer(host: "127.0.0.1", port: Int(port), requiresTLS: false, username: nil)
        let error = try await failure(SMTPClient(server: place, certificates: nil) { nil })
        #expect(error.code == .untrusted && error.description.contains("user \(OtherUserProcess.uid)"), "\(error)")
        #expect(try other.run("caller = listener.accept()[0]; answer = caller.recv(100)") == "b''")
        let trusting = SMTPClient(server: place, certificates: nil, trustedLoopback: [port]) { nil }
        async let refused = failure(trusting)
        try other.run("caller = listener.accept()[0]; caller.sendall(b'554 no service\\r\\n'); caller.close()")
        let answer = try await refused
        #expect(answer.code == .deferred, "\(answer)")
    }

    @Test("a mail that is rejected temporarily is delivered later", arguments: ["MAIL", "RCPT", "DATA"]) func deferred(
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

    @Test(
        "a mail that is rejected permanently fails, and the message does not contain the user's address",
        arguments: ["MAIL", "RCPT"]
    )
    func refused(_ step: String) async throws {
        let server = try TestMailServer(tls)
        try server.answer(step, with: "550 5.1.1 <jo@example.org> is nobody")
        let error = try await failure(client(server))
        #expect(error == .refused("localhost:\(server.port) answers \(step) with 550 5.1.1"))
        #expect(!error.isWorthAnotherTry)
        #expect(try server.mails().isEmpty)
    }

    @Test(
        "a server that is not a mail server is reported as unreachable",
        arguments: [
            ["garbage\r\n"], [String(repeating: "2", count: 3_000)], ["HTTP/1.1 400 Bad Request\r\n\r\n"],
            [String(repeating: "220-a\r\n", count: 200)], ["220-a\r\n221 b\r\n"], ["220 x\n"], ["close"],
            ["220 x\r\n", "close"], ["220 x\r\n", "nonsense\r\n"],
        ]
    )
    func garbage(_ lines: [String]) async throws {
        let server = try TestMailServer(saying: lines)
        try await withTimers { timers in
            let error = try await failure(client(server, timers: timers))
            #expect(error.code == .unreachable)
        }
    }

    @Test(
        "a server that stops in the middle of a response is reported as unreachable at the deadline",
        arguments: [[], ["\u{0}\u{1}\u{2}\u{3}\u{4}"], ["220 x\r\n", "250-x\r\n", "250-y\r\n"]]
    )
    func unfinished(_ lines: [String]) async throws {
        let server = try TestMailServer(saying: lines)
        try await withTimers { timers in
            let isOver = Mutex(false)
            let delivery = Task {
                defer { isOver.withLock { $0 = true } }
                return try await failure(client(server, timers: timers))
            }
            try await waitUntil("the delivery is cancelled") {
                await timers.advanceTime(by: TimeAmount(SMTPLimits().step))
                return isOver.withLock { $0 }
            }
            #expect(try await delivery.value.code == .unreachable)
        }
    }

    @Test("a server that is busy is retried") func busy() async throws {
        let server = try TestMailServer(saying: ["421 4.3.2 busy\r\n", "221 x\r\n"])
        let error = try await failure(client(server))
        #expect(error == .deferred("localhost:\(server.port) greets with 421 4.3.2"))
    }

    @Test("the greeting of a server that closes the connection at once is not lost") func closing() async throws {
        let other = try OtherUserProcess()
        let port = try other.listen(at: "127.0.0.1")
        let place = MailServer(host: "127.0.0.1", port: Int(port), requiresTLS: false, username: nil)
        let (channel, greeting) = try await SMTPClient(server: place, certificates: nil) { nil }.connect()
        try other.run("caller = listener.accept()[0]; caller.sendall(b'554 no service\\r\\n'); caller.close()")
        try await channel.closeFuture.get()
        #expect(try await greeting.futureResult.get().status == 554)
    }

    @Test("no response is awaited after the overall deadline") func slow() async throws {
        let server = try TestMailServer(saying: ["220 x\r\n", "250 x\r\n", "250 x\r\n", ""])
        var limits = SMTPLimits()
        limits.whole = limits.step / 2
        try await withTimers { timers in
            let isOver = Mutex(false)
            let delivery = Task { [limits] in
                defer { isOver.withLock { $0 = true } }
                return try await failure(client(server, requiresTLS: false, limits: limits, timers: timers))
            }
            try await waitUntil("RCPT is received") { server.heard().contains("RCPT ") }
            await timers.advanceTime(by: TimeAmount(limits.whole))
            try await waitUntil("the delivery is cancelled") {
                await timers.run()
                return isOver.withLock { $0 }
            }
            #expect(try await delivery.value.code == .unreachable)
        }
    }

    @Test("the response to the mail data may arrive after the deadline of all other responses") func late() async throws
    {
        let server = try TestMailServer(saying: ["220 x\r\n", "250 x\r\n", "250 x\r\n"])
        let client = client(server, requiresTLS: false)
        let (channel, greeting) = try await client.connect()
        func dialogue(_ end: NIODeadline) -> SMTPDialogue {
            SMTPDialogue(
                channel: channel,
                greeting: greeting,
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
        // Every command other than the mail data fails after the deadline.
        let error = await #expect(throws: MailError.self) { try await late.open(SMTPTrust(file: nil)) }
        #expect(error?.code == .unreachable)
    }

    @Test("the response to the mail data also has a deadline") func noVerdict() async throws {
        let server = try TestMailServer(saying: [
            "220 x\r\n", "250 x\r\n", "250 x\r\n", "250 x\r\n", "354 x\r\n", "250-x\r\n",
        ])
        try await withTimers { timers in
            let delivery = Task { try await failure(client(server, requiresTLS: false, timers: timers)) }
            // The fifth line that the server receives is the first line of the mail. The server then sends an
            // incomplete reply.
            try await waitUntil("the mail is received") { server.heard().split(separator: "\r\n").count == 5 }
            await timers.advanceTime(by: TimeAmount(SMTPLimits().verdict))
            let error = try await delivery.value
            #expect(error == .unreachable("localhost:\(server.port) did not send a reply to the mail in time"))
        }
    }

    @Test("a mail is not retried before a server may have responded to it") func lease() {
        let limits = SMTPLimits()
        #expect(limits.whole + limits.verdict + limits.farewell < SMTPClient.longestDelivery)
    }

    @Test("an unreachable server is reported with the system's words", arguments: ["127.0.0.1", "localhost"])
    func closedPort(_ host: String) async throws {
        let place = MailServer(host: host, port: freePort(), requiresTLS: true, username: nil)
        let error = try await failure(SMTPClient(server: place, certificates: nil) { nil })
        #expect(error == .unreachable("\(place) cannot be reached: Connection refused"))
    }

    @Test("an unknown host name is reported as such") func unknownHost() async throws {
        // The first label is longer than DNS allows, so the resolver sends no query.
        let host = String(repeating: "a", count: 64) + ".example"
        let place = MailServer(host: host, port: 25, requiresTLS: true, username: nil)
        let error = try await failure(SMTPClient(server: place, certificates: nil) { nil })
        #expect(error.code == .unreachable && error.failure == OutgoingFailure(.unknownHost, at: host))
        #expect(error.description == "The host name \(host) cannot be resolved. Check the address.")
    }

    @Test("a mail whose response was lost is sent again under the same id and arrives at least once") func lostAnswer()
        async throws
    {
        let server = try TestMailServer(tls)
        try server.answer("DATA", with: "close")
        #expect(try await failure(client(server)).code == .unreachable)
        try await client(server).deliver(mail(), id: "m", now: clock.now)
        let mails = try server.mails()
        #expect(mails.count == 2 && mails.allSatisfy { $0.contains("Message-ID: <m@example.org>") })
    }

    @Test("unreadable certificate authorities are reported without a source path", arguments: [nil, "no PEM\n"])
    func noAuthorities(_ content: String?) async throws {
        let server = try TestMailServer(tls)
        let file = folder.path("authorities.pem")
        if let content { try Data(content.utf8).write(to: URL(fileURLWithPath: file)) }
        let place = MailServer(host: "localhost", port: server.port, requiresTLS: true, username: nil)
        let error = try await failure(SMTPClient(server: place, certificates: file) { nil })
        let sentence = "the certificate authorities of \(file) cannot be read: "
        #expect(error.code == .unusable && error.description.hasPrefix(sentence), "\(error)")
        #expect(!error.description.dropFirst(sentence.count).contains("/"), "\(error)")
    }

    @Test("a probe stops after TLS and delivers nothing") func probe() async throws {
        let server = try TestMailServer(tls + ["--login", "broker:right"])
        try await client(server).probe()
        #expect(try server.mails().isEmpty)
        let error = await #expect(throws: MailError.self) { try await client(server, trusts: false).probe() }
        #expect(error?.code == .untrusted)
    }
}
