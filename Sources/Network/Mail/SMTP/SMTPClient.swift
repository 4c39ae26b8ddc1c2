import Foundation
public import Moments
import NIOCore
import NIOPosix
import NIOSSL
public import OAuth
import Synchronization

/// Sends messages to a mail server, each over its own connection (RFC 5321, RFC 3207, RFC 4954).
///
/// A message counts as delivered when the server has accepted it. If the daemon is killed before it records the
/// delivery, or loses the reply, it sends the message again with the same `Message-ID`. Each message is therefore
/// delivered at least once.
public struct SMTPClient: Sendable {
    /// The number of messages that are sent concurrently.
    public static let width = 8
    /// An upper bound for the time to send one message, regardless of what the server does.
    public static let longestDelivery: Duration = .seconds(420)

    /// The mail server that messages are sent to.
    public let server: MailServer
    private let password: @Sendable () throws(MailError) -> Secret?
    private let trust: SMTPTrust
    private let limits: SMTPLimits
    /// The event loop that runs timeouts, or `nil` to use each connection's own event loop.
    private let timers: (any EventLoop)?

    /// Creates a client.
    ///
    /// - Parameters:
    ///   - server: The mail server.
    ///   - certificates: A PEM file of trusted certificate authorities, or `nil` for those that this machine trusts.
    ///   - password: Returns the user's password. Called for each connection.
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

    /// Sends a message.
    ///
    /// - Parameters:
    ///   - mail: The message.
    ///   - id: The left side of the `Message-ID`, which is the same for every attempt.
    ///   - now: The time of sending.
    /// - Throws: ``MailError`` if the server has not accepted the message.
    public func deliver(_ mail: Mail, id: String, now: Moment) async throws(MailError) {
        let message = try SMTPMessage(mail.message(date: now.date, id: id))
        let secret = try password()
        try await converse { dialogue, offer throws(MailError) in
            if let username = server.username {
                guard let secret else { throw .unusable("no password is configured for \(server)") }
                try await dialogue.logIn(username, secret, offer)
            }
            try await dialogue.send(mail, message, offer)
        }
    }

    /// Checks whether the server can be used, without logging in or sending a message.
    ///
    /// - Throws: ``MailError`` with the reason why the server cannot be used.
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
            throw .unreachable("\(server) cannot be reached: \(why)")
        } catch {
            throw .unreachable("\(server) cannot be reached: \(error)")
        }
    }
}

/// A mail submission server (RFC 6409).
public struct MailServer: Hashable, Sendable, CustomStringConvertible {
    /// The server's host name or address.
    public let host: String
    /// The server's TCP port.
    public let port: Int
    /// Whether TLS is required before anything other than the greeting (RFC 3207).
    public let requiresTLS: Bool
    /// The user name for the login, or `nil` for no login.
    public let username: String?

    /// Creates a mail server.
    public init(host: String, port: Int, requiresTLS: Bool, username: String?) {
        self.host = host
        self.port = port
        self.requiresTLS = requiresTLS
        self.username = username
    }

    /// The server's host and port.
    public var description: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }
}

/// The timeouts for a mail server.
///
/// They are much shorter than RFC 5321 §4.5.3.2 recommends, because messages are queued on disk and retried. Only the
/// timeout for the reply to the message itself is long, because a client that gives up at this point sends the message
/// twice.
struct SMTPLimits: Sendable {
    /// The timeout for connecting.
    var connect: Duration = .seconds(10)
    /// The timeout for one reply.
    var step: Duration = .seconds(20)
    /// The timeout for everything from connecting up to the message itself, which is not included.
    var whole: Duration = .seconds(45)
    /// The additional timeout for the message itself and its reply (RFC 5321 §4.5.3.2.6).
    var verdict: Duration = .seconds(300)
    /// The timeout for the reply to QUIT, whose content is ignored.
    var farewell: Duration = .seconds(2)
    /// How long a running exchange may continue after its task is cancelled.
    var afterCancellation: Duration = .seconds(5)
}

/// The certificate authorities that are trusted for mail servers.
///
/// Reading them takes a while, so they are read at the first use and then cached.
final class SMTPTrust: Sendable {
    private let file: String?
    private let made = Mutex<NIOSSLContext?>(nil)

    /// - Parameter file: A PEM file of certificate authorities, or `nil` for those that this machine trusts.
    init(file: String?) {
        self.file = file
    }

    /// Returns a context for TLS 1.2 or later that verifies the server's name (RFC 8314 §4.1, RFC 9525).
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
