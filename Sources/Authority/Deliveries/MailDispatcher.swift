public import AuthorityStore
import Dispatch
import Foundation
public import Logging
public import Mail
import Metrics
public import Moments
import OAuth
import Storage

/// Delivers the mail that is queued in the store, and retries each message until it is delivered or abandoned.
///
/// A crash loses no message, but a message delivered just before a crash can be delivered twice.
public struct MailDispatcher: Sendable {
    /// The maximum number of attempts to deliver one message.
    public static let mostTries = 10

    /// Delivers a message with an `id` that is the same in every attempt.
    typealias Transport = @Sendable (_ mail: Mail, _ id: String, _ now: Moment) async throws -> Void

    private static let pollInterval: Duration = .seconds(5)
    private static let batch = 32
    /// How long messages are leased for a folder, which must be longer than writing a batch takes.
    private static let localLease: Duration = .seconds(60)

    /// Whether mail is written to a folder, in which case pending mail is delivered before the daemon stops.
    private let isLocal: Bool
    private let loop: DeliveryLoop<QueuedMail>
    /// The addresses that the mail server takes, or `nil` if mail is written to a folder.
    private var support: AddressSupport?

    /// Creates a dispatcher that writes mail to a folder, with `from` as the sender's address.
    public init(store: AuthorityStore, folder: MailFolder, from: String, clock: MomentClock, logger: Logger) {
        self.init(store: store, from: from, clock: clock, logger: logger) { mail, now in
            try folder.deliver(mail, now: now)
        }
    }

    /// Creates a dispatcher that sends mail through a mail server, with `from` as the sender's address.
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
        support = AddressSupport(server, clock: clock)
    }

    init(
        store: AuthorityStore,
        from: String,
        clock: MomentClock,
        logger: Logger,
        blocking transport: @escaping @Sendable (Mail, Moment) throws -> Void
    ) {
        // The transport blocks its thread, which must not be one of the few that serve all requests.
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
        // The lease must be longer than the longest delivery of a full batch.
        let lease = isLocal ? Self.localLease : SMTPClient.longestDelivery
        let postman = Postman(store: store, transport: transport, from: from, clock: clock, logger: logger)
        loop = DeliveryLoop(width: width, slotsToTake: 1, pollInterval: Self.pollInterval) { limit in
            await postman.take(limit, lease: lease)
        } deliver: { mail in
            await postman.finish(mail)
        }
    }

    /// Whether mail can be sent to an address, which may need an extension that the mail server does not offer.
    public func takes(_ address: String) async -> Bool { await support?.takes(address) ?? true }

    /// Signals that a message was queued.
    public func kick() { loop.kick() }

    /// Delivers due mail at the start, after every ``kick()``, and every five seconds, until the task is cancelled.
    public func run() async { await loop.run() }

    /// Delivers pending mail before the exit if it is written to a folder, because a mail server could delay the exit.
    public func deliverLast() async {
        if isLocal { await deliverDue() }
    }

    /// Delivers the mail that is due now, and returns the number of messages delivered.
    @discardableResult
    public func deliverDue() async -> Int { await loop.deliverDue().count { $0 } }
}

private struct Postman {
    let store: AuthorityStore
    let transport: MailDispatcher.Transport
    let from: String
    let clock: MomentClock
    let logger: Logger

    func take(_ limit: Int, lease: Duration) async -> [QueuedMail] {
        do {
            return try await store.outbox.take(limit: limit, lease: lease)
        } catch {
            logger.error("queued mail not readable", metadata: ["error": "\(error)"])
            return []
        }
    }

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
