import HTTPServer
import Hummingbird
import Synchronization
import TestSupport
import Testing

/// Tests that a request handler learns when its client disconnects before the response.
@Suite(.timeLimit(.minutes(1)))
struct ClientConnectionTests {
    @Test("a handler learns that its client has disconnected or closed its sending side", arguments: [true, false])
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
            try await waitUntil("the request is in progress") { begun.hasHappened }
            #expect(!gone.hasHappened)
            if leaves {
                client.leave()
            } else {
                client.finishSending()
                #expect(await client.readToEnd().hasSuffix("late"))
            }
            try await waitUntil("the handler is notified") { gone.hasHappened }
        }
    }

    @Test("waiting for the end of a connection ends when the task is cancelled") func cancelled() async {
        let connection = ClientConnection()
        let waiting = Task { await connection.untilClosed() }
        waiting.cancel()
        await waiting.value
    }
}

private final class Happening: Sendable {
    private let flag = Atomic(false)

    var hasHappened: Bool { flag.load(ordering: .acquiring) }

    func happen() { flag.store(true, ordering: .releasing) }
}
