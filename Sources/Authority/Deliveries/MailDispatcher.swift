public import AuthorityStore
import Dispatch
import Foundation
public import Logging
public import Mail
import Metrics
public import Moments
import OAuth
import Storage

/// Delivers the mail that is queued in the store.
///
/// It retries each message until the message is delivered or no longer useful.
///
/// A message is stored in the same transaction as the event that it reports, so a crash loses no mail. A message that
/// was delivered just before a crash can be delivered twice.
public struct MailDispatcher: Sendable {
    /// The maximum number of attempts to deliver one message.
    public static let mostTries = 10

    /// Delivers a message.
    ///
    /// `id` is the same for every attempt.
    typealias Transport = @Sendable (_ mail: Mail, _ id: String, _ now: Moment) async throws -> Void

    private static let pollInterval: Duration = .seconds(5)
    private static let batch = 32
    /// How long a message is leased for writing it to a folder.
    ///
    /// This is longer than a whole batch takes.
    private static let localLease: Duration = .seconds(60)

    /// Whether mail stays on this machine.
    ///
    /// If so, pending messages are delivered before the daemon stops.
    private let isLocal: Bool
    private let loop: DeliveryLoop<QueuedMail>

    /// Creates a dispatcher that writes to a folder.
    ///
    /// - Parameters:
    ///   - store: The store that contains the queued mail.
    ///   - folder: The folder that mail is written to.
    ///   - from: The sender's address.
    ///   - clock: The clock for deadlines.
    ///   - logger: The logger for errors.
    public init(store: AuthorityStore, folder: MailFolder, from: String, clock: MomentClock, logger: Logger) {
        self.init(store: store, from: from, clock: clock, logger: logger) { mail, now in
            try folder.deliver(mail, now: now)
        }
    }

    /// Creates a dispatcher that sends to a mail server.
    ///
    /// - Parameters:
    ///   - store: The store that contains the queued mail.
    ///   - server: The mail server.
    ///   - from: The sender's address.
    ///   - clock: The clock for deadlines.
    ///   - logger: The logger for errors.
    public init(store: AuthorityStore, server: SMTPClient, from: String, clock: MomentClock, logger: Logger) {
        self.init(
            store: store,
            from: from,
            clock: clock,
            logger: logger,
            width: SMTPClient.width,
            isLocal: false
        ) { mail, id, now in
            try await server.deliver(mail, id: id, now: now)
        }
    }

    /// Creates a dispatcher that delivers with `transport`, which can block on disk I/O.
    init(
        store: AuthorityStore,
        from: String,
        clock: MomentClock,
        logger: Logger,
        blocking transport: @escaping @Sendable (Mail, Moment) throws -> Void
    ) {
        // Runs on its own thread, which is allowed to block. The cooperative pool has only a few threads, which serve
        // all requests.
        let postman = DispatchQueue(label: "mail")
        self.init(
            store: store,
            from: from,
            clock: clock,
            logger: logger,
            width: Self.batch,
            isLocal: true
        ) { mail, _, now in
            try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
                postman.async { continuation.resume(with: Result { try transport(mail, now) }) }
            }
        }
    }

    init(
        store: AuthorityStore,
        from: String,
        clock: MomentClock,
        logger: Logger,
        width: Int,
        isLocal: Bool,
        transport: @escaping Transport
    ) {
        self.isLocal = isLocal
        // The lease is longer than delivering a full batch can take.
        let lease = isLocal ? Self.localLease : SMTPClient.longestDelivery
        let postman = Postman(store: store, transport: transport, from: from, clock: clock, logger: logger)
        loop = DeliveryLoop(width: width, slotsToTake: 1, pollInterval: Self.pollInterval) { limit in
            await postman.take(limit, lease: lease)
        } deliver: { mail in
            await postman.finish(mail)
        }
    }

    /// Signals that a message was queued.
    public func kick() { loop.kick() }

    /// Delivers mail that is due, immediately, after every ``kick()`` and every five seconds, until the task is
    /// cancelled.
    public func run() async { await loop.run() }

    /// Delivers the most recently queued mail before the program exits.
    ///
    /// If that could delay the exit, the mail is delivered after the next start instead.
    public func deliverLast() async {
        if isLocal { await deliverDue() }
    }

    /// Delivers the mail that is due now.
    ///
    /// - Returns: The number of messages delivered.
    @discardableResult
    public func deliverDue() async -> Int { await loop.deliverDue().count { $0 } }
}

/// Sends messages to their recipients and records the results in the store.
private struct Postman {
    let store: AuthorityStore
    let transport: MailDispatcher.Transport
    let from: String
    let clock: MomentClock
    let logger: Logger

    /// Leases at most `limit` messages that are due.
    func take(_ limit: Int, lease: Duration) async -> [QueuedMail] {
        do {
            return try await store.outbox.take(limit: limit, lease: lease)
        } catch {
            logger.error("queued mail not readable", metadata: ["error": "\(error)"])
            return []
        }
    }

    /// Delivers a message and records the result.
    func finish(_ queued: QueuedMail) async -> Bool {
        do {
            return try await deliver(queued)
        } catch {
            logger.error("mail result not recorded", metadata: ["error": "\(error)"])
            return false
        }
    }

    private func deliver(_ queued: QueuedMail) async throws -> Bool {
        do {
            let letter = queued.mail
            let mail = try Mail(to: letter.to, from: from, subject: letter.subject, body: letter.body)
            try await transport(mail, queued.id, clock.now)
        } catch let error as MailError where error.isWorthAnotherTry && queued.tries < MailDispatcher.mostTries {
            count("later")
            logger.warning("mail not delivered, will retry", metadata: ["error": "\(error.description)"])
            try await store.outbox.retry(queued.id, at: Self.pauses.next(after: queued.tries, at: clock.now))
            return false
        } catch {
            count("given_up")
            let why = (error as? MailError)?.description ?? "\(error)"
            logger.error("mail abandoned", metadata: ["error": "\(why)"])
            try await store.outbox.done(queued.id)
            return false
        }
        count("delivered")
        try await store.outbox.done(queued.id)
        return true
    }

    private func count(_ outcome: String) {
        Counter(label: "mail_deliveries", dimensions: [("outcome", outcome)]).increment()
    }

    private static let pauses = DeliveryPauses(first: .seconds(10), longest: .seconds(600))
}
