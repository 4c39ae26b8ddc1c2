import Foundation
import Glibc
import NIOCore
import NIOSSL
import OAuth
import OutgoingHTTP

struct SMTPDialogue: Sendable {
    let channel: any Channel
    let greeting: EventLoopPromise<SMTPReply>
    let timers: any EventLoop
    let server: MailServer
    let limits: SMTPLimits
    /// The deadline for all steps before the message's content is sent.
    let end: NIODeadline

    /// Greets the server, starts TLS if it is required, and returns the extensions that the server offers.
    func open(_ trust: SMTPTrust) async throws(MailError) -> SMTPOffer {
        let offer = try await begin(trust)
        // Asks again, because an attacker could have forged the extensions offered before TLS (RFC 3207 §4.2).
        return server.requiresTLS ? try await hello() : offer
    }

    /// Returns the server's certificate, which `trust` must accept, or `nil` if the connection does not use TLS.
    func certificate(_ trust: SMTPTrust) async throws(MailError) -> NIOSSLCertificate? {
        _ = try await begin(trust)
        return try? await channel.nioSSL_peerCertificate().get()
    }

    private func begin(_ trust: SMTPTrust) async throws(MailError) -> SMTPOffer {
        let greeting = try await result("its greeting", greeting, by: stepEnd)
        guard greeting.status == 220 else { throw .deferred("\(server) greets with \(greeting.summary)") }
        let offer = try await hello()
        guard server.requiresTLS else { return offer }
        // Plain text is not a fallback, because an attacker could have removed `STARTTLS` from the reply (RFC 3207 §6).
        guard offer.has("STARTTLS") else { throw .untrusted("\(server) does not offer STARTTLS") }
        let answer = try await ask("STARTTLS")
        guard answer.status == 220 else { throw .untrusted("\(server) answers STARTTLS with \(answer.summary)") }
        try await encrypt(trust)
        return offer
    }

    /// Authenticates the client (RFC 4954), which requires TLS unless the server is on this machine.
    func logIn(_ username: String, _ password: Secret, _ offer: SMTPOffer) async throws(MailError) {
        guard server.requiresTLS || Loopback.contains(host: server.host) else {
            throw .untrusted("no password is sent to \(server) without TLS")
        }
        let mechanisms = offer.parameters("AUTH")
        let answer: SMTPReply
        if mechanisms.contains("PLAIN") {
            let message = Data([0]) + Data(username.utf8) + [0] + password.revealBytes()
            answer = try await ask("AUTH PLAIN \(message.base64EncodedString())", as: "AUTH PLAIN")
        } else if mechanisms.contains("LOGIN") {
            var reply = try await ask("AUTH LOGIN")
            for word in [Data(username.utf8), password.revealBytes()] where reply.status == 334 {
                reply = try await ask(word.base64EncodedString(), as: "AUTH LOGIN")
            }
            answer = reply
        } else {
            throw .untrusted("\(server) offers neither AUTH PLAIN nor AUTH LOGIN")
        }
        // The account is the problem, not the message. An operator can fix the account while the message waits.
        guard answer.status == 235 else { throw .unusable("\(server) answers AUTH with \(answer.summary)") }
    }

    func send(_ mail: Mail, _ message: SMTPMessage, _ offer: SMTPOffer) async throws(MailError) {
        var parameters = ""
        if message.needs8Bit {
            guard offer.has("8BITMIME") else {
                throw .refused("\(server) does not offer 8BITMIME, which the message needs")
            }
            parameters += " BODY=8BITMIME"
        }
        if !(mail.to + mail.from).utf8.allSatisfy({ $0 < 0x80 }) {
            guard offer.has("SMTPUTF8") else {
                throw .refused("\(server) does not offer SMTPUTF8, which an address needs")
            }
            parameters += " SMTPUTF8"
        }
        try await take(ask("MAIL FROM:<\(mail.from)>\(parameters)", as: "MAIL"), .sender)
        try await take(ask("RCPT TO:<\(mail.to)>", as: "RCPT"), .recipient)
        let go = try await ask("DATA")
        guard go.status == 354 else { throw refusal(go, .data) }
        try await handOver(message)
    }

    /// Sends the content and waits for the reply until a separate deadline, which can be later than ``end``.
    func handOver(_ message: SMTPMessage) async throws(MailError) {
        let deadline = timers.now + TimeAmount(limits.verdict)
        try await take(reply("a reply to the mail", by: deadline) { .ask(message.bytes, $0) }, .mail)
    }

    func quit() async {
        _ = try? await reply("a reply to QUIT", by: timers.now + TimeAmount(limits.farewell)) {
            .ask(ByteBuffer(string: "QUIT\r\n"), $0)
        }
    }

    private func take(_ reply: SMTPReply, _ step: SMTPStep) throws(MailError) {
        if !reply.isPositive { throw refusal(reply, step) }
    }

    private func refusal(_ reply: SMTPReply, _ step: SMTPStep) -> MailError {
        let sentence = "\(server) answers \(step.rawValue) with \(reply.summary)"
        return reply.isFinal(at: step) ? .refused(sentence) : .deferred(sentence)
    }

    private func hello() async throws(MailError) -> SMTPOffer {
        let reply = try await ask("EHLO \(Self.ownName(channel))", as: "EHLO")
        guard reply.status == 250 else { throw .deferred("\(server) answers EHLO with \(reply.summary)") }
        return SMTPOffer(reply)
    }

    /// Sends a line and returns the reply.
    ///
    /// If `name` is set, error messages contain `name` instead of the line.
    private func ask(_ line: String, as name: String? = nil) async throws(MailError) -> SMTPReply {
        try await reply("a reply to \(name ?? line)") { .ask(ByteBuffer(string: line + "\r\n"), $0) }
    }

    private func encrypt(_ trust: SMTPTrust) async throws(MailError) {
        let context = try trust.context()
        // SNI does not allow IP addresses (RFC 6066 §3). A certificate can be verified for an IP address without SNI.
        let name = Self.isAddress(server.host) ? nil : server.host
        try await result("a TLS handshake", by: stepEnd) { .encrypt(context, serverName: name, $0) }
    }

    private func reply(
        _ what: String,
        by deadline: NIODeadline? = nil,
        _ call: (EventLoopPromise<SMTPReply>) -> SMTPCall
    ) async throws(MailError) -> SMTPReply {
        try await result(what, by: deadline ?? stepEnd, call)
    }

    private var stepEnd: NIODeadline { min(timers.now + TimeAmount(limits.step), end) }

    private func result<Value: Sendable>(
        _ what: String,
        by deadline: NIODeadline,
        _ call: (EventLoopPromise<Value>) -> SMTPCall
    ) async throws(MailError) -> Value {
        let promise = channel.eventLoop.makePromise(of: Value.self)
        channel.writeAndFlush(call(promise)).cascadeFailure(to: promise)
        return try await result(what, promise, by: deadline)
    }

    private func result<Value: Sendable>(
        _ what: String,
        _ promise: EventLoopPromise<Value>,
        by deadline: NIODeadline
    ) async throws(MailError) -> Value {
        let timer = timers.scheduleTask(deadline: deadline) { [channel, server] in
            promise.fail(MailError.unreachable("\(server) did not send \(what) in time"))
            channel.close(promise: nil)
        }
        // Cancels the timer as soon as the promise completes, because this task could resume much later.
        promise.futureResult.whenComplete { _ in timer.cancel() }
        do {
            return try await promise.futureResult.get()
        } catch let error as MailError {
            throw error
        } catch {
            throw .unreachable("the connection to \(server) failed: \(OutgoingHTTP.description(of: error))")
        }
    }

    /// Returns this machine's name if the name is fully qualified, or an address literal otherwise (RFC 5321 §4.1.4).
    private static func ownName(_ channel: any Channel) -> String {
        var bytes = [CChar](repeating: 0, count: 256)
        if gethostname(&bytes, bytes.count - 1) == 0 {
            let name = String(decoding: bytes.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
            let isName = name.utf8.allSatisfy {
                (0x30...0x39).contains($0) || (0x61...0x7A).contains($0) || (0x41...0x5A).contains($0) || $0 == 0x2D
                    || $0 == 0x2E
            }
            if isName, name.contains("."), !name.hasPrefix("."), !name.hasSuffix(".") { return name }
        }
        let address = channel.localAddress?.ipAddress ?? "127.0.0.1"
        return address.contains(":") ? "[IPv6:\(address.prefix { $0 != "%" })]" : "[\(address)]"
    }

    private static func isAddress(_ host: String) -> Bool {
        (try? SocketAddress(ipAddress: host, port: 0)) != nil
    }
}

/// The extensions that a mail server offers (RFC 5321 §4.1.1.1).
struct SMTPOffer: Sendable {
    private let words: [String: [String]]

    init(_ reply: SMTPReply) {
        let lines = reply.lines.dropFirst().map { $0.uppercased().split(separator: " ").map(String.init) }
        words = Dictionary(
            lines.compactMap { line in line.first.map { ($0, Array(line.dropFirst())) } },
            uniquingKeysWith: { first, _ in first }
        )
    }

    func has(_ word: String) -> Bool { words[word] != nil }

    func parameters(_ word: String) -> [String] { words[word] ?? [] }
}
