import Foundation
import NIOHTTP1
import TestSupport
import Testing

/// Tests of the mail that the daemon sends by SMTP to an independent mail server.
@Suite(.timeLimit(.minutes(4)))
struct MailTests {
    private let folder: TemporaryFolder
    private let certificate: (certificate: String, privateKey: String)
    private let password = "Planted-mail-password"

    init() throws {
        folder = try TemporaryFolder()
        certificate = try LocalCertificate.write(to: folder)
        let file = folder.path("mail-password")
        try Data("\(password)\n".utf8).write(to: URL(fileURLWithPath: file))
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file)
    }

    private func server(port: Int = freePort()) throws -> TestMailServer {
        let login = ["--login", "broker:\(password)"]
        return try TestMailServer(["--tls", certificate.certificate, certificate.privateKey] + login, port: port)
    }

    private func machine(port: Int, trusts: Bool = true, hasOwnClock: Bool = false) throws -> Machine {
        try Machine(
            configuration: [
                "mail: {transport: smtp, host: localhost, port: \(port), from: login@example.org, username: broker, "
                    + "passwordFile: \(folder.path("mail-password"))}"
            ],
            environment: trusts ? ["SSL_CERT_FILE": certificate.certificate] : [:],
            hasOwnClock: hasOwnClock,
            movesBootClock: hasOwnClock
        )
    }

    private func digits(_ mail: String) -> String? {
        mail.components(separatedBy: "\r\n").last { $0.wholeMatch(of: /[0-9]{6}/) != nil }
    }

    private func doctor(_ machine: Machine) throws -> BuiltProgram.Outcome {
        try machine.tokenbroker([
            "doctor", "--config", machine.configuration, "--policies", machine.policies, "--state-directory",
            machine.state,
        ])
    }

    /// Stops the daemon, and expects that its log contains no secret.
    private func stop(_ daemon: RunningProgram, without secrets: [String]) throws {
        daemon.signal(SIGTERM)
        #expect(daemon.wait() == 0)
        for secret in secrets + [password] { #expect(try !daemon.log().contains(secret), "\(daemon.errors())") }
    }

    @Test("a user signs up with a code that arrives by SMTP over TLS") func signUp() async throws {
        let server = try server()
        let machine = try machine(port: server.port)
        let daemon = try machine.startBroker()
        let found = try doctor(machine)
        #expect(
            found.output.contains("ok: The mail server localhost:\(server.port) responds over TLS."),
            "\(found.output)"
        )
        let connection = try machine.connect()
        let person = Person.random()
        let flow = try person.beginSignUp(connection)
        let mail = try #require(server.mail { $0.contains("To: <\(person.email)>") })
        #expect(mail.hasPrefix("from=login@example.org to=\(person.email) tls=True login=broker\r\n"))
        let code = try #require(digits(mail))
        try person.endSignUp(flow, code: code, connection)
        let metrics = try await WebAnswer.to(.GET, machine.base + "/metrics", token: nil).text
        #expect(metrics.contains("mail_deliveries_total{outcome=\"delivered\"} 1"), "\(metrics)")
        #expect(!FileManager.default.fileExists(atPath: machine.outbox))
        try stop(daemon, without: [code, person.email])
    }

    @Test("without SMTPUTF8 an address beyond ASCII is refused at the sign-up, and a domain beyond ASCII is not")
    func addresses() throws {
        let server = try TestMailServer(["--ascii"])
        let port = server.port
        let machine = try Machine(configuration: [
            "mail: {transport: smtp, host: localhost, port: \(port), startTLS: false, from: login@example.org}"
        ])
        let daemon = try machine.startBroker()
        let connection = try machine.connect()
        let refused = try #require(throws: Connection.Refused.self) {
            try Person(email: "j\u{F6}@example.org", name: "J\u{F6}").beginSignUp(connection)
        }
        #expect(refused.reason == "invalid_answer")
        #expect(refused.message.hasPrefix("The mail server cannot send to this address,"), "\(refused.message)")
        _ = try Person(email: "jo@b\u{FC}cher.example", name: "Jo").beginSignUp(connection)
        let mail = try #require(server.mail { $0.contains("To: <jo@xn--bcher-kva.example>") })
        #expect(mail.hasPrefix("from=login@example.org to=jo@xn--bcher-kva.example tls=False"))
        #expect(try server.mails().count == 1)
        try stop(daemon, without: [])
    }

    @Test("an acknowledged mail survives an unreachable mail server and a kill of the daemon") func kill()
        throws
    {
        let port = freePort()
        let machine = try machine(port: port, hasOwnClock: true)
        let notYet = "mail not delivered, will retry"
        let first = try machine.startBroker()
        let person = Person.random()
        var connection = try machine.connect()
        let flow = try person.beginSignUp(connection)
        try blockUntil("the first attempt fails") { first.errors().contains(notYet) }
        let found = try doctor(machine)
        #expect(found.status == 1 && found.output.contains("localhost:\(port) cannot be reached"), "\(found.output)")
        first.signal(SIGKILL)
        first.wait()
        let server = try server(port: port)
        // The server stores the mail but closes the connection without a response. The daemon cannot know that the mail
        // was accepted, so it sends the mail again.
        try server.answer("DATA", with: "close")
        // A failed attempt is followed by a pause of 10 or 20 s. The clock moves past the pause before each start.
        try machine.wallClock?.set(by: 1)
        let second = try machine.startBroker()
        let mail = try #require(server.mail { $0.contains(person.email) })
        try blockUntil("the response is lost") { second.errors().contains(notYet) }
        connection = try machine.connect()
        try person.endSignUp(flow, code: try #require(digits(mail)), connection)
        try stop(second, without: [person.email])
        try machine.wallClock?.set(by: 2)
        let third = try machine.startBroker()
        let id = try #require(mail.split(separator: "\r\n").first { $0.hasPrefix("Message-ID:") })
        _ = server.mail { _ in (try? server.mails().count) == 2 }
        #expect(try server.mails().allSatisfy { $0.contains(id) } && server.mails().count == 2)
        try stop(third, without: [person.email])
    }

    @Test("a mail server without a valid certificate gets no mail, and doctor gives the reason") func untrusted() throws
    {
        let server = try server()
        let machine = try machine(port: server.port, trusts: false)
        let daemon = try machine.startBroker()
        let person = Person.random()
        _ = try person.beginSignUp(try machine.connect())
        let found = try doctor(machine)
        #expect(found.status == 1)
        let sentence = "This machine does not trust the issuer of the certificate of localhost: CN=localhost."
        #expect(found.output.contains("problem: Mail cannot be sent: \(sentence)"), "\(found.output)")
        #expect(found.output.contains("STARTTLS"), "\(found.output)")
        for part in ["OPENSSL_internal", ".build/"] { #expect(!found.output.contains(part), "\(found.output)") }
        try blockUntil("the log names the cause") { daemon.errors().contains(sentence) }
        try stop(daemon, without: [person.email, "OPENSSL_internal", ".build/"])
        #expect(try server.mails().isEmpty)
    }

    @Test("a mail server whose host name is unknown is reported by doctor") func unknownHost() throws {
        // The first label is longer than DNS allows, so the resolver sends no query.
        let host = String(repeating: "a", count: 64) + ".example"
        let machine = try Machine(configuration: [
            "mail: {transport: smtp, host: \(host), port: 25, from: login@example.org}"
        ])
        let daemon = try machine.startBroker()
        let found = try doctor(machine)
        let sentence = "problem: Mail cannot be sent: The host name \(host) cannot be resolved. Check the address."
        #expect(found.status == 1 && found.output.contains(sentence), "\(found.output)")
        #expect(!found.output.contains(".build/"), "\(found.output)")
        try stop(daemon, without: [])
    }

    @Test("a password file that others can read, or that is missing, is reported at the start") func unusablePassword()
        throws
    {
        let file = folder.path("mail-password")
        let machine = try machine(port: 1)
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: file)
        for extra in [["--check"], []] {
            let outcome = try machine.runBroker(extra)
            #expect(outcome.status == 78 && outcome.errors.contains("chmod 600 \(file)"), "\(outcome.errors)")
        }
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file)
        try Data("two\nlines\n".utf8).write(to: URL(fileURLWithPath: file))
        let outcome = try machine.runBroker()
        #expect(outcome.status == 78 && outcome.errors.contains("on one line"), "\(outcome.errors)")
        try FileManager.default.removeItem(atPath: file)
        #expect(try machine.runBroker().errors.contains("\(file) cannot be read"))
    }

    @Test("a mail that the mail system rejects does not delay the others") func rejectedRecipient() throws {
        let mails = folder.path("mails")
        try FileManager.default.createDirectory(atPath: mails, withIntermediateDirectories: false)
        for (name, to) in [("1", "no-such@example.org"), ("2", "jo@example.org")] {
            try Data("To: \(to)\n\nHello\n".utf8).write(to: URL(fileURLWithPath: "\(mails)/\(name).eml"))
        }
        let program = folder.path("sendmail")
        try Data("#!/bin/sh\ngrep -q no-such && exit 69\nexit 0\n".utf8).write(to: URL(fileURLWithPath: program))
        try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: program)
        let outcome = try BuiltProgram(path: "/bin/sh").run(
            [ProjectFolder.path + "/packaging/send-mail", mails],
            environment: ["SENDMAIL": program, "SEND_MAIL_PAUSE": "0"]
        )
        #expect(outcome.status == 75 && outcome.errors.contains("rejected"), "\(outcome)")
        #expect(try FileManager.default.contentsOfDirectory(atPath: mails) == ["1.eml"])
    }
}
