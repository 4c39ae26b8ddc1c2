public import AuthorityStore
import Dispatch
import Foundation
public import Logging
public import Mail
import Metrics
public import Moments
import OAuth
import Storage

/// Takes mails from the store and delivers them, each until it is delivered or has become pointless.
///
/// A mail is written in the transaction that it reports, so a kill loses none; one delivered just before may come
/// twice.
public struct MailDispatcher: Sendable {
    /// The greatest number of tries for one mail.
    public static let mostTries = 10

    /// Delivers a mail; `id` is the same at every try.
    typealias Transport = @Sendable (_ mail: Mail, _ id: String, _ now: Moment) async throws -> Void

    private static let pollInterval: Duration = .seconds(5)
    private static let batch = 32
    /// The time for which a mail to a folder is leased: longer than a batch takes.
    private static let localLease: Duration = .seconds(60)

    /// True if mails stay on this machine, so that none waits for the next start.
    private let isLocal: Bool
    private let loop: DeliveryLoop<QueuedMail>

    /// A dispatcher into a folder.
    ///
    /// - Parameters:
    ///   - store: The store in which mails wait.
    ///   - folder: The folder they are written to.
    ///   - from: The sender's address.
    ///   - clock: The clock that deadlines go by.
    ///   - logger: The logger of faults.
    public init(store: AuthorityStore, folder: MailFolder, from: String, clock: MomentClock, logger: Logger) {
        self.init(store: store, from: from, clock: clock, logger: logger) { mail, now in
            try folder.deliver(mail, now: now)
        }
    }

    /// A dispatcher to a mail server.
    ///
    /// - Parameters:
    ///   - store: The store in which mails wait.
    ///   - server: The mail server.
    ///   - from: The sender's address.
    ///   - clock: The clock that deadlines go by.
    ///   - logger: The logger of faults.
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

    /// A dispatcher that delivers by `transport`, which may block on a disk.
    init(
        store: AuthorityStore,
        from: String,
        clock: MomentClock,
        logger: Logger,
        blocking transport: @escaping @Sendable (Mail, Moment) throws -> Void
    ) {
        // On a thread that may block: those that tasks run on are few, and all requests need them.
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
        // Longer than any delivery of as many mails as are taken at once.
        let lease = isLocal ? Self.localLease : SMTPClient.longestDelivery
        let postman = Postman(store: store, transport: transport, from: from, clock: clock, logger: logger)
        loop = DeliveryLoop(width: width, slotsToTake: 1, pollInterval: Self.pollInterval) { limit in
            await postman.take(limit, lease: lease)
        } deliver: { mail in
            await postman.finish(mail)
        }
    }

    /// Signals that a mail waits.
    public func kick() { loop.kick() }

    /// Delivers mails that are due, again at every kick and every five seconds, until the task is cancelled.
    public func run() async { await loop.run() }

    /// Delivers the mails acknowledged last before the program ends; if that could delay the end, the next start does
    /// it.
    public func deliverLast() async {
        if isLocal { await deliverDue() }
    }

    /// Delivers the mails that are due now.
    ///
    /// - Returns: The number of mails delivered.
    @discardableResult
    public func deliverDue() async -> Int { await loop.deliverDue().count { $0 } }
}

/// A way for mails to their recipients, with what came of each in the store.
private struct Postman {
    let store: AuthorityStore
    let transport: MailDispatcher.Transport
    let from: String
    let clock: MomentClock
    let logger: Logger

    /// Leases at most `limit` mails that are due.
    func take(_ limit: Int, lease: Duration) async -> [QueuedMail] {
        do {
            return try await store.outbox.take(limit: limit, lease: lease)
        } catch {
            logger.error("mails cannot be taken", metadata: ["error": "\(error)"])
            return []
        }
    }

    /// Delivers a mail and records the result.
    func finish(_ queued: QueuedMail) async -> Bool {
        do {
            return try await deliver(queued)
        } catch {
            logger.error("what came of a mail cannot be written", metadata: ["error": "\(error)"])
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
            logger.warning("a mail was not delivered yet", metadata: ["error": "\(error.description)"])
            try await store.outbox.retry(queued.id, at: Self.pauses.next(after: queued.tries, at: clock.now))
            return false
        } catch {
            count("given_up")
            let why = (error as? MailError)?.description ?? "\(error)"
            logger.error("a mail is given up", metadata: ["error": "\(why)"])
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
