import AuthorityStore
import Dispatch
import FlowModel
import Foundation
import OAuth
import Policies
import Providers
import Synchronization
import TestSupport
import Testing

@testable import Flows

@Suite(.timeLimit(.minutes(1)))
struct MailDispatcherTests {
    private let answers: [String: JSONValue] = [
        "email": "jo@example.org", "displayName": "Jo", "password": "Secret123",
    ]

    private func dispatcher(_ world: World) throws -> MailDispatcher {
        MailDispatcher(
            store: world.store,
            outbox: try Outbox(directory: world.folder.path("outbox")),
            from: "noreply@localhost",
            clock: world.clock.clock,
            logger: World.logger
        )
    }

    private func files(_ world: World) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: world.folder.path("outbox"))
    }

    @Test("a mail goes into the outbox once, with its code alone on a line") func delivers() async throws {
        let world = try World()
        let dispatcher = try dispatcher(world)
        let flow = try await world.start(.signUp).flow
        let asked = try await world.submit(flow, answers)
        #expect(await dispatcher.deliverDue() == 1)
        #expect(await dispatcher.deliverDue() == 0)
        let name = try #require(try files(world).first)
        let text = try String(contentsOfFile: world.folder.path("outbox/\(name)"), encoding: .utf8)
        let code = try #require(text.components(separatedBy: "\r\n").first { $0.wholeMatch(of: /[0-9]{6}/) != nil })
        #expect(try await world.submit(asked.flow, ["code": .string(code)]).verdict == .accepted)
    }

    @Test("a mail that cannot be delivered is tried again later") func retries() async throws {
        let world = try World()
        let dispatcher = try dispatcher(world)
        let flow = try await world.start(.signUp).flow
        _ = try await world.submit(flow, answers)
        try FileManager.default.removeItem(atPath: world.folder.path("outbox"))
        #expect(await dispatcher.deliverDue() == 0)
        _ = try Outbox(directory: world.folder.path("outbox"))
        #expect(await dispatcher.deliverDue() == 0)
        world.clock.advance(by: .seconds(10))
        #expect(await dispatcher.deliverDue() == 1)
    }

    @Test("a mail that was never delivered is given up after ten tries") func givesUp() async throws {
        let world = try World()
        let dispatcher = try dispatcher(world)
        let flow = try await world.start(.signUp).flow
        _ = try await world.submit(flow, answers)
        try FileManager.default.removeItem(atPath: world.folder.path("outbox"))
        for _ in 0..<10 {
            #expect(await dispatcher.deliverDue() == 0)
            world.clock.advance(by: .seconds(600))
        }
        _ = try Outbox(directory: world.folder.path("outbox"))
        #expect(await dispatcher.deliverDue() == 0)
    }

    /// A dispatcher to somewhere else than a folder.
    private func dispatcher(_ world: World, _ transport: @escaping MailDispatcher.Transport) -> MailDispatcher {
        MailDispatcher(
            store: world.store,
            from: "noreply@localhost",
            clock: world.clock.clock,
            logger: World.logger,
            width: 2,
            isLocal: false,
            transport: transport
        )
    }

    @Test("a mail that is never taken is given up at once; one that is not taken now keeps its id") func refused()
        async throws
    {
        let world = try World()
        let ids = Mutex<[String]>([])
        for code in [MailError.Code.deferred, .unreachable, .untrusted, .unusable, .full, .refused] {
            _ = try await world.submit(try await world.start(.signUp).flow, answers)
            ids.withLock { $0 = [] }
            let failing = dispatcher(world) { _, id, _ in
                ids.withLock { $0.append(id) }
                throw MailError(code: code, description: "no")
            }
            #expect(await failing.deliverDue() == 0)
            world.clock.advance(by: .seconds(60))
            let working = dispatcher(world) { _, id, _ in ids.withLock { $0.append(id) } }
            #expect(await working.deliverDue() == (code == .refused ? 0 : 1))
            ids.withLock { ids in
                #expect(ids.count == (code == .refused ? 1 : 2) && Set(ids).count == 1)
            }
        }
    }

    @Test("while a mail server answers nothing, flows go on, and another mail is handed over beside") func hanging()
        async throws
    {
        let world = try World()
        let (begun, begins) = AsyncStream.makeStream(of: Void.self)
        let (ends, end) = AsyncStream.makeStream(of: Void.self)
        let calls = Mutex(0)
        let slow = dispatcher(world) { _, _, _ in
            begins.yield()
            guard
                calls.withLock({
                    $0 += 1
                    return $0 == 1
                })
            else { return }
            for await _ in ends {}
        }
        for _ in 0..<2 { _ = try await world.submit(try await world.start(.signUp).flow, answers) }
        async let delivered = slow.deliverDue()
        var steps = begun.makeAsyncIterator()
        await steps.next()
        await steps.next()
        #expect(try await world.submit(try await world.start(.signUp).flow, answers).verdict == .next)
        await slow.deliverLast()
        end.finish()
        #expect(await delivered == 3)
    }

    @Test("a mail that waits for its answer leaves the other places to those that come after it") func places()
        async throws
    {
        let world = try World()
        let (handed, hands) = AsyncStream.makeStream(of: Void.self)
        let (ends, end) = AsyncStream.makeStream(of: Void.self)
        let calls = Mutex(0)
        let slow = dispatcher(world) { _, _, _ in
            let isFirst = calls.withLock { calls in
                calls += 1
                return calls == 1
            }
            if isFirst { for await _ in ends {} }
            hands.yield()
        }
        _ = try await world.submit(try await world.start(.signUp).flow, answers)
        let service = Task { await slow.run() }
        var steps = handed.makeAsyncIterator()
        // More than there are places, while the first has one of them.
        for _ in 0..<4 { _ = try await world.submit(try await world.start(.signUp).flow, answers) }
        slow.kick()
        for _ in 0..<4 { await steps.next() }
        _ = try await world.submit(try await world.start(.signUp).flow, answers)
        slow.kick()
        await steps.next()
        end.finish()
        await steps.next()
        service.cancel()
        await service.value
        #expect(calls.withLock { $0 } == 6)
    }

    @Test("mails that wait for their disk hold up nothing else") func slowDisk() async throws {
        let disk = DispatchSemaphore(value: 0)
        let (begun, begins) = AsyncStream.makeStream(of: Void.self)
        var dispatchers: [MailDispatcher] = []
        // As many as there are threads for tasks, and one more.
        for _ in 0...ProcessInfo.processInfo.activeProcessorCount {
            let world = try World()
            _ = try await world.submit(try await world.start(.signUp).flow, answers)
            dispatchers.append(
                MailDispatcher(
                    store: world.store,
                    from: "noreply@localhost",
                    clock: world.clock.clock,
                    logger: World.logger,
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
                // This task goes on, though all of them wait.
                if waiting == dispatchers.count { break }
            }
            for _ in dispatchers { disk.signal() }
            for await count in group { #expect(count == 1) }
        }
    }

    @Test("the service delivers at a kick, and ends when it is cancelled") func service() async throws {
        let world = try World()
        let dispatcher = try dispatcher(world)
        let service = Task { await dispatcher.run() }
        let flow = try await world.start(.signUp).flow
        _ = try await world.submit(flow, answers)
        dispatcher.kick()
        try await waitUntil("the mail is there") { try files(world).contains { $0.hasSuffix(".eml") } }
        service.cancel()
        await service.value
    }
}
