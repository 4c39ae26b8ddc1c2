public import AuthorityStore
import Dispatch
import Foundation
public import Logging
import Metrics
public import Moments
import OAuth
public import Providers
import Storage

/// Takes mails out of the store and delivers them, each until it is delivered or has become pointless.
///
/// A mail was written with what it tells of; so a kill loses none, and one that was delivered just before may come twice.
public struct MailDispatcher: Sendable {
    /// How often one mail is tried.
    public static let mostTries = 10

    private let store: AuthorityStore
    private let transport: @Sendable (Mail, Moment) throws -> Void
    private let from: String
    private let clock: MomentClock
    private let logger: Logger
    private let postman = DispatchQueue(label: "mail")
    private let kicks: AsyncStream<Void>
    private let kicked: AsyncStream<Void>.Continuation

    /// A dispatcher into an outbox folder.
    ///
    /// - Parameters:
    ///   - store: Where mails wait.
    ///   - outbox: Where they go.
    ///   - from: Whom they are from.
    ///   - clock: What time it is.
    ///   - logger: Where faults are told.
    public init(store: AuthorityStore, outbox: Outbox, from: String, clock: MomentClock, logger: Logger) {
        self.init(store: store, from: from, clock: clock, logger: logger) { mail, now in
            try outbox.deliver(mail, now: now)
        }
    }

    /// A dispatcher whose mails go where `transport` puts them; that may wait for a disk or a network.
    init(
        store: AuthorityStore,
        from: String,
        clock: MomentClock,
        logger: Logger,
        transport: @escaping @Sendable (Mail, Moment) throws -> Void
    ) {
        self.store = store
        self.transport = transport
        self.from = from
        self.clock = clock
        self.logger = logger
        (kicks, kicked) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    }

    /// Tells that a mail waits.
    public func kick() { kicked.yield() }

    /// Delivers what is due, again at every kick and every five seconds, until the task is cancelled.
    public func run() async {
        await withTaskGroup(of: Void.self) { group in
            group.addTask {
                while (try? await Task.sleep(for: Self.lookAgain)) != nil { kick() }
            }
            group.addTask {
                await deliverDue()
                for await _ in kicks { await deliverDue() }
            }
            await group.next()
            group.cancelAll()
        }
    }

    /// Delivers what is due now.
    ///
    /// - Returns: How many mails were delivered.
    @discardableResult
    public func deliverDue() async -> Int {
        var delivered = 0
        do {
            while !Task.isCancelled {
                let due = try await store.outbox.take(limit: Self.batch, lease: Self.lease)
                if due.isEmpty { break }
                for mail in due where try await deliver(mail) { delivered += 1 }
            }
        } catch {
            logger.error("mails cannot be taken", metadata: ["error": "\(error)"])
        }
        return delivered
    }

    private func deliver(_ queued: QueuedMail) async throws -> Bool {
        do {
            let letter = queued.mail
            let mail = try Mail(to: letter.to, from: from, subject: letter.subject, body: letter.body)
            try await delivered(mail)
        } catch let error as MailError where queued.tries < Self.mostTries {
            count("later")
            logger.warning("a mail was not delivered yet", metadata: ["error": "\(error.description)"])
            let pause = min(Self.longestPause, Self.firstPause * (1 << min(queued.tries, 10)))
            try await store.outbox.retry(queued.id, at: Deadline(pause, after: clock.now))
            return false
        } catch {
            count("given_up")
            logger.error("a mail is given up", metadata: ["error": "\(error)"])
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

    /// Delivers on a thread that may wait: those that tasks run on are few, and all requests need them.
    private func delivered(_ mail: Mail) async throws {
        let now = clock.now
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            postman.async { [transport] in continuation.resume(with: Result { try transport(mail, now) }) }
        }
    }

    private static let lookAgain: Duration = .seconds(5)
    private static let batch = 32
    /// For how long a mail is ours once it was taken.
    private static let lease: Duration = .seconds(60)
    private static let firstPause: Duration = .seconds(5)
    private static let longestPause: Duration = .seconds(600)
}
