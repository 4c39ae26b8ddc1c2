import HTTPServer
import Hummingbird
import Synchronization
import TestSupport
import Testing

/// The client of a request, which may go before the answer.
@Suite(.timeLimit(.minutes(1)))
struct ClientConnectionTests {
    @Test("a handler learns that its client has left, or sends nothing more", arguments: [true, false])
    func departure(leaves: Bool) async throws {
        let (begun, gone) = (Happening(), Happening())
        func add(to router: Router<HTTPContext>) {
            router.get("slow") { _, context in
                begun.happen()
                await context.client.untilClosed()
                gone.happen()
                return "late"
            }
        }
        try await LiveServer.run(routes: add) { bound in
            let client = try RawClient(bound[0])
            client.send("GET /slow HTTP/1.1\r\nHost: tasks.test\r\nConnection: close\r\n\r\n")
            try await waitUntil("the request is worked on") { begun.hasHappened }
            #expect(!gone.hasHappened)
            if leaves {
                client.leave()
            } else {
                client.finishSending()
                #expect(await client.readToEnd().hasSuffix("late"))
            }
            try await waitUntil("the handler knows") { gone.hasHappened }
        }
    }

    @Test("who waits for the end of a connection ends with the task") func cancelled() async {
        let connection = ClientConnection()
        let waiting = Task { await connection.untilClosed() }
        waiting.cancel()
        await waiting.value
    }
}

/// Something that happens once.
private final class Happening: Sendable {
    private let flag = Atomic(false)

    var hasHappened: Bool { flag.load(ordering: .acquiring) }

    func happen() { flag.store(true, ordering: .releasing) }
}
