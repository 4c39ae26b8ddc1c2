import AuthorityFixture
import Dispatch
import DurableSQLite
import Foundation
import Logging
import OAuth
import Synchronization
import TestSupport
import Testing

@testable import AuthorityStore
@testable import Deliveries
@testable import Mail

@Suite(.timeLimit(.minutes(1)))
struct MailDispatcherTests {
    /// A store with an outbox, and a folder to which its emails are delivered.
    private struct Office: Sendable {
        private let fixture: AuthorityFixture

        init() throws {
            fixture = try AuthorityFixture()
        }

        var clock: TestClock { fixture.place.time }
        var store: AuthorityStore { fixture.store }
        var mails: String { fixture.place.folder.path("mails") }

        /// Queues an email, as a flow does.
        func queue(_ text: String = "482915", subject: String = "Your code") async throws {
            let outbox = store.outbox
            let mail = OutboxMail(to: "jo@example.org", subject: subject, body: Secret(text))
            try await outbox.core.database.write { [clock] db in try outbox.add(db, [mail], at: clock.now) }
        }

        func files() throws -> [String] { try FileManager.default.contentsOfDirectory(atPath: mails) }

        /// Creates a dispatcher that delivers to the folder.
        func dispatcher(logger: Logger = AuthorityFixture.silent) throws -> MailDispatcher {
            MailDispatcher(
                store: store,
                folder: try MailFolder(directory: mails),
                from: "noreply@localhost",
                clock: clock.clock,
                logger: logger
            )
        }

        /// Creates a dispatcher that delivers emails with `transport` instead of to a folder.
        func dispatcher(
            logger: Logger = AuthorityFixture.silent,
            _ transport: @escaping MailDispatcher.Transport
        ) -> MailDispatcher {
            MailDispatcher(
                store: store,
                from: "noreply@localhost",
                clock: clock.clock,
                logger: logger,
                width: 2,
                isLocal: false,
                transport: transport
            )
        }
    }

    @Test("a mail is written to the folder once, with its text line by line") func delivers() async throws {
        let office = try Office()
        let dispatcher = try office.dispatcher()
        try await office.queue("one\n482915\nthree")
        #expect(await dispatcher.deliverDue() == 1)
        #expect(await dispatcher.deliverDue() == 0)
        let name = try #require(try office.files().first)
        let text = try String(contentsOfFile: "\(office.mails)/\(name)", encoding: .utf8)
        #expect(text.contains("\r\n482915\r\n"))
        #expect(await dispatcher.takes("j\u{F6}@example.org"), "a folder stores mail for every address")
    }

    @Test("a mail that cannot be delivered is retried later") func retries() async throws {
        let office = try Office()
        let dispatcher = try office.dispatcher()
        try await office.queue()
        try FileManager.default.removeItem(atPath: office.mails)
        #expect(await dispatcher.deliverDue() == 0)
        _ = try MailFolder(directory: office.mails)
        #expect(await dispatcher.deliverDue() == 0)
        office.clock.advance(by: .seconds(10))
        #expect(await dispatcher.deliverDue() == 1)
    }

    @Test("a mail that was never delivered is given up after ten tries") func givesUp() async throws {
        let office = try Office()
        let dispatcher = try office.dispatcher()
        try await office.queue()
        try FileManager.default.removeItem(atPath: office.mails)
        for _ in 0..<10 {
            #expect(await dispatcher.deliverDue() == 0)
            office.clock.advance(by: .seconds(600))
        }
        _ = try MailFolder(directory: office.mails)
        #expect(await dispatcher.deliverDue() == 0)
    }

    @Test("a mail that is rejected permanently is given up at once; one that is rejected temporarily keeps its id")
    func refused() async throws {
        let office = try Office()
        let ids = Mutex<[String]>([])
        for code in [MailError.Code.deferred, .unreachable, .untrusted, .unusable, .full, .refused] {
            try await office.queue()
            ids.withLock { $0 = [] }
            let failing = office.dispatcher { _, id, _ in
                ids.withLock { $0.append(id) }
                throw MailError(code: code, description: "no")
            }
            #expect(await failing.deliverDue() == 0)
            office.clock.advance(by: .seconds(60))
            let working = office.dispatcher { _, id, _ in ids.withLock { $0.append(id) } }
            #expect(await working.deliverDue() == (code == .refused ? 0 : 1))
            ids.withLock { ids in
                #expect(ids.count == (code == .refused ? 1 : 2) && Set(ids).count == 1)
            }
        }
    }

    @Test("a mail's subject is never logged, whatever happens to the mail") func logsNoSubject() async throws {
        let office = try Office()
        let log = LogLines()
        let planted = "482915 is your code"
        // There are four mails: one is delivered, one is deferred, one is refused, and one has a line break in its
        // subject.
        try await office.queue(subject: planted)
        #expect(try await office.dispatcher(logger: log.logger).deliverDue() == 1)
        for code in [MailError.Code.deferred, .refused] {
            try await office.queue(subject: planted)
            let failing = office.dispatcher(logger: log.logger) { _, _, _ in
                throw MailError(code: code, description: "no")
            }
            #expect(await failing.deliverDue() == 0)
        }
        try await office.queue(subject: planted + "\n")
        let working = office.dispatcher(logger: log.logger) { _, _, _ in }
        #expect(await working.deliverDue() == 0)
        let lines = log.all.joined(separator: "\n")
        #expect(lines.contains("mail not delivered") && lines.contains("mail abandoned"))
        #expect(!lines.contains("482915") && !lines.contains("is your code"), "\(lines)")
    }

    @Test("while a mail server does not respond, mails are queued, and others are delivered")
    func hanging() async throws {
        let office = try Office()
        let (begun, begins) = AsyncStream.makeStream(of: Void.self)
        let (ends, end) = AsyncStream.makeStream(of: Void.self)
        let calls = Mutex(0)
        let slow = office.dispatcher { _, _, _ in
            begins.yield()
            let isFirst = calls.withLock { calls in
                calls += 1
                return calls == 1
            }
            if isFirst { for await _ in ends {} }
        }
        for _ in 0..<2 { try await office.queue() }
        async let delivered = slow.deliverDue()
        var steps = begun.makeAsyncIterator()
        await steps.next()
        await steps.next()
        try await office.queue()
        await slow.deliverLast()
        end.finish()
        #expect(await delivered == 3)
    }

    @Test("a mail that waits for its response leaves the other slots to later mails")
    func slots() async throws {
        let office = try Office()
        let (handed, hands) = AsyncStream.makeStream(of: Void.self)
        let (ends, end) = AsyncStream.makeStream(of: Void.self)
        let calls = Mutex(0)
        let slow = office.dispatcher { _, _, _ in
            let isFirst = calls.withLock { calls in
                calls += 1
                return calls == 1
            }
            if isFirst { for await _ in ends {} }
            hands.yield()
        }
        try await office.queue()
        let service = Task { await slow.run() }
        var steps = handed.makeAsyncIterator()
        // Queues more emails than there are slots. The first email occupies one of the two slots.
        for _ in 0..<4 { try await office.queue() }
        slow.kick()
        for _ in 0..<4 { await steps.next() }
        try await office.queue()
        slow.kick()
        await steps.next()
        end.finish()
        await steps.next()
        service.cancel()
        await service.value
        #expect(calls.withLock { $0 } == 6)
    }

    @Test("mails that wait for the disk delay nothing else") func slowDisk() async throws {
        let disk = DispatchSemaphore(value: 0)
        let (begun, begins) = AsyncStream.makeStream(of: Void.self)
        var dispatchers: [MailDispatcher] = []
        // The number of dispatchers exceeds the number of threads that run tasks by one.
        for _ in 0...ProcessInfo.processInfo.activeProcessorCount {
            let office = try Office()
            try await office.queue()
            dispatchers.append(
                MailDispatcher(
                    store: office.store,
                    from: "noreply@localhost",
                    clock: office.clock.clock,
                    logger: AuthorityFixture.silent,
                    blocking: { _, _ in
                        begins.yield()
                        disk.wait()
                    }
                )
            )
        }
        await withTaskGroup(of: Int.self) { group in
            for dispatcher in dispatchers { group.addTask { await dispatcher.deliverDue() } }
            var waiting = 0
            for await _ in begun {
                waiting += 1
                // All dispatchers wait for the disk, but this task still runs.
                if waiting == dispatchers.count { break }
            }
            for _ in dispatchers { disk.signal() }
            for await count in group { #expect(count == 1) }
        }
    }

    @Test("the service delivers when triggered, and ends when it is cancelled") func service() async throws {
        let office = try Office()
        let dispatcher = try office.dispatcher()
        let service = Task { await dispatcher.run() }
        try await office.queue()
        dispatcher.kick()
        try await waitUntil("the mail is there") { try office.files().contains { $0.hasSuffix(".eml") } }
        service.cancel()
        await service.value
    }
}
