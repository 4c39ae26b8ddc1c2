import Foundation
public import Moments
import NIOCore
import NIOPosix
import NIOSSL
public import OAuth
import OutgoingHTTP
import Synchronization
import Systemd

/// Sends each message to a mail server over its own connection (RFC 5321, RFC 3207, RFC 4954).
///
/// A message can arrive twice, because it is sent again with the same `Message-ID` if the reply is lost.
public struct SMTPClient: Sendable {
    /// The maximum number of messages that are sent concurrently.
    public static let width = 8
    /// The maximum time that sending one message can take, regardless of what the server does.
    public static let longestDelivery: Duration = .seconds(420)

    /// The mail server that messages are sent to.
    public let server: MailServer
    private let password: @Sendable () throws(MailError) -> Secret?
    private let trust: SMTPTrust
    private let trustedLoopback: Set<UInt16>
    private var limits: SMTPLimits
    /// The event loop that runs the timeouts, or `nil` if each connection uses its own event loop.
    private let timers: (any EventLoop)?

    /// Creates a client that calls `password` before it sends each message.
    ///
    /// `certificates` is the path of a PEM file with trusted CAs, or `nil` to use the CAs that this machine trusts.
    /// `trustedLoopback` contains local ports to use without TLS and without checking which user runs the server.
    public init(
        server: MailServer,
        certificates: String?,
        trustedLoopback: Set<UInt16> = [],
        password: @escaping @Sendable () throws(MailError) -> Secret?
    ) {
        self.init(
            server: server,
            certificates: certificates,
            trustedLoopback: trustedLoopback,
            limits: SMTPLimits(),
            password: password
        )
    }

    init(
        server: MailServer,
        certificates: String?,
        trustedLoopback: Set<UInt16> = [],
        limits: SMTPLimits,
        timers: (any EventLoop)? = nil,
        password: @escaping @Sendable () throws(MailError) -> Secret?
    ) {
        self.timers = timers
        self.server = server
        self.password = password
        self.limits = limits
        self.trustedLoopback = trustedLoopback
        trust = SMTPTrust(file: certificates)
    }

    /// Sends a message with `id` before the `@` of `Message-ID`, which must be the same for every attempt.
    ///
    /// - Throws: ``MailError`` if the server has not accepted the message.
    public func deliver(_ mail: Mail, id: String, now: Moment) async throws(MailError) {
        let message = try SMTPMessage(mail.message(date: now.date, id: id))
        let secret = try password()
        try await naming { () throws(MailError) in try await deliver(mail, message, secret) }
    }

    private func deliver(_ mail: Mail, _ message: SMTPMessage, _ secret: Secret?) async throws(MailError) {
        try await converse { dialogue throws(MailError) in
            let offer = try await dialogue.open(trust)
            if let username = server.username {
                guard let secret else { throw .unusable("no password is configured for \(server)") }
                try await dialogue.logIn(username, secret, offer)
            }
            try await dialogue.send(mail, message, offer)
        }
    }

    /// Checks whether the mail server can be used, without logging in or sending a message.
    public func probe() async throws(MailError) {
        try await naming { () throws(MailError) in
            try await converse { dialogue throws(MailError) in _ = try await dialogue.open(trust) }
        }
    }

    /// Whether the server offers SMTPUTF8, which addresses need whose part before the `@` is not ASCII (RFC 6531).
    func offersSMTPUTF8() async throws(MailError) -> Bool {
        try await converse { dialogue throws(MailError) in try await dialogue.open(trust).has("SMTPUTF8") }
    }

    /// Returns a copy of the client with other timeouts.
    func limited(to limits: SMTPLimits) -> SMTPClient {
        var copy = self
        copy.limits = limits
        return copy
    }

    /// Runs `body`, and names the issuer or the validity of an untrusted certificate in its error.
    ///
    /// A second connection reads the certificate. It ends after the TLS handshake, and sends no user name and no password.
    private func naming(_ body: () async throws(MailError) -> Void) async throws(MailError) {
        do throws(MailError) {
            try await body()
        } catch {
            guard error.failure?.cause == .untrustedIssuer(nil) else { throw error }
            let certificate = try? await limited(to: .certificate).converse { dialogue throws(MailError) in
                try await dialogue.certificate(SMTPTrust(file: nil, verifies: false))
            }
            throw MailError(.untrusted, OutgoingFailure(untrusted: certificate, at: server.host))
        }
    }

    private func converse<Value: Sendable>(
        _ body: @Sendable (SMTPDialogue) async throws(MailError) -> Value
    ) async throws(MailError) -> Value {
        let begun = timers?.now ?? .now()
        let (channel, greeting) = try await connect()
        do throws(MailError) {
            try checkListener(of: channel)
        } catch {
            channel.close(promise: nil)
            throw error
        }
        let dialogue = SMTPDialogue(
            channel: channel,
            greeting: greeting,
            timers: timers ?? channel.eventLoop,
            server: server,
            limits: limits,
            end: begun + TimeAmount(limits.whole)
        )
        let outcome = await withTaskCancellationHandler { () async -> Result<Value, MailError> in
            do throws(MailError) {
                return .success(try await body(dialogue))
            } catch {
                return .failure(error)
            }
        } onCancel: {
            channel.eventLoop.scheduleTask(in: TimeAmount(limits.afterCancellation)) { channel.close(promise: nil) }
        }
        if channel.isActive { await dialogue.quit() }
        channel.close(promise: nil)
        return try outcome.get()
    }

    /// Throws an error if an untrusted local user runs the server and TLS is not required.
    ///
    /// If TLS is required, the server's certificate identifies the server.
    private func checkListener(of channel: any Channel) throws(MailError) {
        guard !server.requiresTLS, !trustedLoopback.contains(UInt16(clamping: server.port)) else { return }
        func end(_ address: SocketAddress?) -> TCPOwner.End? {
            address?.withSockAddr { address, _ in TCPOwner.End(address) }
        }
        guard let client = end(channel.localAddress), let there = end(channel.remoteAddress) else {
            throw .unreachable("\(server) closed the connection")
        }
        let listener: String
        switch TCPOwner.stranger(client: client, server: there) {
        case nil: return
        case .uid(let uid): listener = "a process owned by user \(uid)"
        case .unknown, .noListener:
            // The kernel does not report the owner of a connection that is already closed.
            guard channel.isActive else { throw .unreachable("\(server) closed the connection") }
            listener = "an unknown process, possibly in a container,"
        }
        throw .untrusted(
            "\(listener) is listening on \(server), so nothing was sent to it. Set mail.startTLS: true, or allow this port with "
                + "outgoing.trustedLoopback: [\(server.port)]"
        )
    }

    /// Connects to the server, and returns the channel and a promise for the server's greeting.
    func connect() async throws(MailError) -> (any Channel, EventLoopPromise<SMTPReply>) {
        do {
            return try await ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup)
                .connectTimeout(TimeAmount(limits.connect))
                .connect(host: server.host, port: server.port) { channel in
                    channel.eventLoop.makeCompletedFuture {
                        let greeting = channel.eventLoop.makePromise(of: SMTPReply.self)
                        try channel.pipeline.syncOperations.addHandler(
                            SMTPReplies(greeting: greeting, host: server.host)
                        )
                        return (channel, greeting)
                    }
                }
        } catch {
            if let failure = OutgoingFailure(connecting: error, to: server.host) {
                throw MailError(.unreachable, failure)
            }
            // The host and the port are already in the message.
            let cause = (error as? NIOConnectionError)?.connectionErrors.first?.error ?? error
            throw .unreachable("\(server) cannot be reached: \(OutgoingHTTP.description(of: cause))")
        }
    }
}

/// A mail submission server (RFC 6409).
public struct MailServer: Hashable, Sendable, CustomStringConvertible {
    /// The server's host name or address.
    public let host: String
    /// The server's TCP port.
    public let port: Int
    /// Whether the client must start TLS before it logs in or sends a message (RFC 3207).
    public let requiresTLS: Bool
    /// The user name that the client logs in with, or `nil` if the client does not log in.
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

/// The timeouts for a mail server, most of which are shorter than in RFC 5321 §4.5.3.2, because messages are retried.
///
/// Only ``verdict`` is long, because a client that gives up on that reply can send the message twice.
struct SMTPLimits: Sendable {
    /// The timeouts for a question that a user waits for.
    static let question = SMTPLimits(connect: .seconds(3), step: .seconds(3), whole: .seconds(5), farewell: .seconds(1))
    /// The timeouts of the connection that reads an untrusted certificate.
    static let certificate = SMTPLimits(step: .seconds(10), whole: .seconds(15), farewell: .seconds(1))

    var connect: Duration = .seconds(10)
    var step: Duration = .seconds(20)
    /// The timeout for everything that precedes the message itself, including the connection attempt.
    var whole: Duration = .seconds(45)
    /// The separate timeout for sending the message itself and receiving the reply (RFC 5321 §4.5.3.2.6).
    var verdict: Duration = .seconds(300)
    /// The timeout for the reply to QUIT, whose content is ignored.
    var farewell: Duration = .seconds(2)
    /// How long communication in progress may continue after its task is cancelled.
    var afterCancellation: Duration = .seconds(5)
}

/// The cached certificate authorities that are trusted to identify mail servers.
final class SMTPTrust: Sendable {
    private let file: String?
    private let verifies: Bool
    private let made = Mutex<NIOSSLContext?>(nil)

    /// - Parameters:
    ///   - file: The path of a PEM file with CAs, or `nil` to use the CAs that this machine trusts.
    ///   - verifies: Whether the certificate must be valid, which is `false` only to read the certificate.
    init(file: String?, verifies: Bool = true) {
        self.file = file
        self.verifies = verifies
    }

    /// Returns a TLS context that requires TLS 1.2 or later (RFC 8314 §4.1).
    ///
    /// It verifies the certificate and the server's name (RFC 9525), unless it only serves to read the certificate.
    func context() throws(MailError) -> NIOSSLContext {
        do {
            return try made.withLock { made in
                if let made { return made }
                var configuration = TLSConfiguration.makeClientConfiguration()
                configuration.minimumTLSVersion = .tlsv12
                configuration.certificateVerification = verifies ? .fullVerification : .none
                if let file { configuration.trustRoots = .file(file) }
                let context = try NIOSSLContext(configuration: configuration)
                made = context
                return context
            }
        } catch {
            let cause = OutgoingHTTP.description(of: error)
            throw .unusable("the certificate authorities\(file.map { " of \($0)" } ?? "") cannot be read: \(cause)")
        }
    }
}
