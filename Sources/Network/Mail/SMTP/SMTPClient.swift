import Foundation
public import Moments
import NIOCore
import NIOPosix
import NIOSSL
public import OAuth
import Synchronization

/// Hands mails to a mail server, each over a connection of its own (RFC 5321, RFC 3207, RFC 4954).
///
/// A mail that the server has answered for is delivered. Who is killed between the server's answer and writing that down, or
/// loses the answer, sends the mail again, under the same `Message-ID`: it arrives at least once.
public struct SMTPClient: Sendable {
    /// Number of mails that are handed over at once.
    public static let width = 8
    /// Longer than handing over one mail takes, whatever the server does.
    public static let longestDelivery: Duration = .seconds(420)

    /// The mail server.
    public let server: MailServer
    private let password: @Sendable () throws(MailError) -> Secret?
    private let trust: SMTPTrust
    private let limits: SMTPLimits
    /// The event loop whose time the limits go by; nil for that of each connection.
    private let timers: (any EventLoop)?

    /// A client.
    ///
    /// - Parameters:
    ///   - server: The server that takes the mails.
    ///   - certificates: A PEM file of the certificate authorities that count; nothing for those that this machine trusts.
    ///   - password: The user's password, asked for each time.
    public init(
        server: MailServer,
        certificates: String?,
        password: @escaping @Sendable () throws(MailError) -> Secret?
    ) {
        self.init(server: server, certificates: certificates, limits: SMTPLimits(), password: password)
    }

    init(
        server: MailServer,
        certificates: String?,
        limits: SMTPLimits,
        timers: (any EventLoop)? = nil,
        password: @escaping @Sendable () throws(MailError) -> Secret?
    ) {
        self.timers = timers
        self.server = server
        self.password = password
        self.limits = limits
        trust = SMTPTrust(file: certificates)
    }

    /// Hands a mail over.
    ///
    /// - Parameters:
    ///   - mail: The mail.
    ///   - id: The left side of its `Message-ID`, the same at every try.
    ///   - now: The time of sending.
    /// - Throws: ``MailError`` if the server has not taken it.
    public func deliver(_ mail: Mail, id: String, now: Moment) async throws(MailError) {
        let message = try SMTPMessage(mail.message(date: now.date, id: id))
        let secret = try password()
        try await converse { dialogue, offer throws(MailError) in
            if let username = server.username {
                guard let secret else { throw .unusable("there is no password for \(server)") }
                try await dialogue.logIn(username, secret, offer)
            }
            try await dialogue.send(mail, message, offer)
        }
    }

    /// Sees whether the server would talk, without a login or a mail.
    ///
    /// - Throws: ``MailError`` with what is in the way.
    public func probe() async throws(MailError) {
        try await converse { _, _ in }
    }

    private func converse(
        _ body: @Sendable (SMTPDialogue, SMTPOffer) async throws(MailError) -> Void
    ) async throws(MailError) {
        let begun = timers?.now ?? .now()
        let channel = try await connect()
        let dialogue = SMTPDialogue(
            channel: channel,
            timers: timers ?? channel.eventLoop,
            server: server,
            limits: limits,
            end: begun + TimeAmount(limits.whole)
        )
        let outcome = await withTaskCancellationHandler { () async -> Result<Void, MailError> in
            do throws(MailError) {
                try await body(dialogue, dialogue.open(trust))
                return .success(())
            } catch {
                return .failure(error)
            }
        } onCancel: {
            channel.eventLoop.scheduleTask(in: TimeAmount(limits.afterCancellation)) { channel.close(promise: nil) }
        }
        if channel.isActive { await dialogue.quit() }
        channel.close(promise: nil)
        try outcome.get()
    }

    func connect() async throws(MailError) -> any Channel {
        do {
            return try await ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup)
                .connectTimeout(TimeAmount(limits.connect))
                .channelInitializer { channel in
                    channel.eventLoop.makeCompletedFuture {
                        try channel.pipeline.syncOperations.addHandler(SMTPReplies())
                    }
                }
                .connect(host: server.host, port: server.port)
                .get()
        } catch let error as NIOConnectionError {
            let why: any Error =
                error.connectionErrors.first?.error ?? error.dnsAError ?? error.dnsAAAAError ?? error
            throw .unreachable("\(server) is not reached: \(why)")
        } catch {
            throw .unreachable("\(server) is not reached: \(error)")
        }
    }
}

/// A mail server that takes mails for others (RFC 6409).
public struct MailServer: Hashable, Sendable, CustomStringConvertible {
    /// Its name or address.
    public let host: String
    /// Its port.
    public let port: Int
    /// True if nothing but the greeting is sent without TLS (RFC 3207).
    public let requiresTLS: Bool
    /// As whom mails are handed over; nothing if it asks nobody.
    public let username: String?

    /// A mail server.
    public init(host: String, port: Int, requiresTLS: Bool, username: String?) {
        self.host = host
        self.port = port
        self.requiresTLS = requiresTLS
        self.username = username
    }

    /// Its name and port.
    public var description: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }
}

/// Time limits for a mail server.
///
/// Far less than RFC 5321 §4.5.3.2 grants, because a mail waits on disk and is tried again; but whoever does not wait for the
/// answer to the mail itself sends it twice.
struct SMTPLimits: Sendable {
    /// Until the connection stands.
    var connect: Duration = .seconds(10)
    /// For one answer.
    var step: Duration = .seconds(20)
    /// From the connection to the beginning of the mail.
    var whole: Duration = .seconds(45)
    /// For the mail itself and the answer to it, beyond the rest (RFC 5321 §4.5.3.2.6).
    var verdict: Duration = .seconds(300)
    /// For the answer to QUIT, of which nothing depends.
    var farewell: Duration = .seconds(2)
    /// Time for an exchange under way to end after its task was cancelled.
    var afterCancellation: Duration = .seconds(5)
}

/// Certificate authorities for mail servers: read at the first use, because that takes a while, and kept.
final class SMTPTrust: Sendable {
    private let file: String?
    private let made = Mutex<NIOSSLContext?>(nil)

    /// - Parameter file: A PEM file of certificate authorities; nothing for those that this machine trusts.
    init(file: String?) {
        self.file = file
    }

    /// TLS 1.2 or later, with a certificate of the server's name (RFC 8314 §4.1, RFC 9525).
    func context() throws(MailError) -> NIOSSLContext {
        do {
            return try made.withLock { made in
                if let made { return made }
                var configuration = TLSConfiguration.makeClientConfiguration()
                configuration.minimumTLSVersion = .tlsv12
                configuration.certificateVerification = .fullVerification
                if let file { configuration.trustRoots = .file(file) }
                let context = try NIOSSLContext(configuration: configuration)
                made = context
                return context
            }
        } catch {
            throw .unusable("the certificate authorities\(file.map { " of \($0)" } ?? "") cannot be read: \(error)")
        }
    }
}
