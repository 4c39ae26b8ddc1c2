public import AuthorityStore
import Dispatch
import Foundation
public import Logging
public import Mail
import Metrics
public import Moments
import OAuth
import Storage
import Synchronization

/// Takes mails from the store and delivers them, each until it is delivered or has become pointless.
///
/// A mail is written in the transaction that it reports, so a kill loses none; one delivered just before may come
/// twice.
public struct MailDispatcher: Sendable {
    /// The greatest number of tries for one mail.
    public static let mostTries = 10

    /// Delivers a mail; `id` is the same at every try.
    typealias Transport = @Sendable (_ mail: Mail, _ id: String, _ now: Moment) async throws -> Void

    private let store: AuthorityStore
    private let transport: Transport
    /// The greatest number of mails under way at once.
    private let width: Int
    /// True if mails stay on this machine, so that none waits for the next start.
    private let isLocal: Bool
    private let from: String
    private let clock: MomentClock
    private let logger: Logger
    private let kicks: AsyncStream<Void>
    private let kicked: AsyncStream<Void>.Continuation

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
        self.store = store
        self.transport = transport
        self.width = width
        self.isLocal = isLocal
        self.from = from
        self.clock = clock
        self.logger = logger
        (kicks, kicked) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    }

    /// Signals that a mail waits.
    public func kick() { kicked.yield() }

    /// Delivers mails that are due, again at every kick and every five seconds, until the task is cancelled.
    public func run() async {
        await withTaskGroup(of: Void.self) { group in
            group.addTask {
                while (try? await Task.sleep(for: Self.pollInterval)) != nil { kick() }
            }
            group.addTask {
                kick()
                await deliverAtKicks()
            }
            await group.next()
            group.cancelAll()
        }
    }

    /// Delivers mails that are due at every kick; one that waits for its server's answer delays no other while
    /// a slot is free.
    private func deliverAtKicks() async {
        let slots = MailSlots(width)
        await withDiscardingTaskGroup { group in
            for await _ in kicks {
                var isEmpty = false
                while !isEmpty, !Task.isCancelled {
                    let free = slots.free
                    // Freeing the first slot kicks.
                    if free == 0 { break }
                    let due = await take(free)
                    isEmpty = due.count < free
                    for mail in due {
                        slots.enter()
                        group.addTask {
                            _ = await finish(mail)
                            if slots.leave() { kick() }
                        }
                    }
                }
            }
        }
    }

    /// Delivers the mails acknowledged last before the program ends; if that could delay the end, the next start does
    /// it.
    public func deliverLast() async {
        if isLocal { await deliverDue() }
    }

    /// Delivers the mails that are due now.
    ///
    /// - Returns: The number of mails delivered.
    @discardableResult
    public func deliverDue() async -> Int {
        await withTaskGroup(of: Bool.self) { group in
            var delivered = 0
            var free = width
            while true {
                let due = Task.isCancelled ? [] : await take(free)
                for mail in due { group.addTask { await finish(mail) } }
                free -= due.count
                guard let isDelivered = await group.next() else { break }
                free += 1
                if isDelivered { delivered += 1 }
            }
            return delivered
        }
    }

    /// Leases at most `limit` mails that are due.
    private func take(_ limit: Int) async -> [QueuedMail] {
        guard limit > 0 else { return [] }
        do {
            return try await store.outbox.take(limit: limit, lease: lease)
        } catch {
            logger.error("mails cannot be taken", metadata: ["error": "\(error)"])
            return []
        }
    }

    /// Delivers a mail and records the result.
    private func finish(_ queued: QueuedMail) async -> Bool {
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
        } catch let error as MailError where error.isWorthAnotherTry && queued.tries < Self.mostTries {
            count("later")
            logger.warning("a mail was not delivered yet", metadata: ["error": "\(error.description)"])
            let pause = min(Self.longestPause, Self.firstPause * (1 << min(queued.tries, 10)))
            try await store.outbox.retry(queued.id, at: Deadline(pause, after: clock.now))
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

    private static let pollInterval: Duration = .seconds(5)
    private static let batch = 32
    /// The time for which a taken mail is leased; longer than any delivery of as many mails as are taken at once.
    private var lease: Duration { isLocal ? .seconds(60) : SMTPClient.longestDelivery }
    private static let firstPause: Duration = .seconds(5)
    private static let longestPause: Duration = .seconds(600)
}

/// A limit on the mails under way.
private final class MailSlots: Sendable {
    private let left: Mutex<Int>

    init(_ count: Int) { left = Mutex(count) }

    var free: Int { left.withLock { $0 } }

    func enter() { left.withLock { $0 -= 1 } }

    /// Frees a slot; true if none was free before.
    func leave() -> Bool {
        left.withLock { left in
            left += 1
            return left == 1
        }
    }
}
