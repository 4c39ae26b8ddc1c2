import AsyncHTTPClient
import Authority
import AuthorityFixture
import DurableSQLite
import FlowModel
import Foundation
import GRDB
import HTTPServer
import HTTPTypes
import Hummingbird
import Moments
import NIOCore
import NIOPosix
import OAuth
import OutgoingHTTP
import Policies
import ServiceLifecycle
import Synchronization
import TestSupport
import Testing

@testable import AuthorityStore
@testable import Deliveries

/// The authority sends a logout token to the client (OpenID Connect Back-Channel Logout §2.5).
@Suite(.timeLimit(.minutes(1)))
struct LogoutDispatcherTests {
    @Test("a client gets a form with the logout token at its address, once") func told() async throws {
        try await Office.run { office in
            try await office.queue("web1")
            #expect(await office.tellDue() == 1)
            #expect(await office.tellDue() == 0)
            let request = try #require(office.requests.first)
            #expect(office.requests.count == 1 && request.type == "application/x-www-form-urlencoded")
            #expect(request.path == "/bye" && request.form["logout_token"]?.split(separator: ".").count == 3)
            #expect(try await office.store.logouts.count() == 0)
        }
    }

    @Test("a redirect is not followed, and a refusal is not retried", arguments: [302, 307, 400, 404])
    func refused(_ status: Int) async throws {
        try await Office.run { office in
            office.answer(status)
            try await office.queue("web1")
            #expect(await office.tellDue() == 1)
            #expect(office.requests.map(\.path) == ["/bye"])
            #expect(try await office.store.logouts.count() == 0)
            #expect(
                office.lines.all.contains("warning: logout token refused by client cause=status \(status) client=web1")
            )
        }
    }

    @Test("the first failed attempt is a warning that names the cause", arguments: [503, 200]) func cause(
        _ status: Int
    )
        async throws
    {
        try await Office.run { office in
            office.answer(status, status == 200 ? "<!DOCTYPE html><title>Sign in</title>" : "")
            try await office.queue("web1")
            for _ in 0..<2 {
                #expect(await office.tellDue() == 1)
                office.clock.advance(by: .seconds(3601))
            }
            let said = office.lines.all.filter { $0.contains("client not notified") }
            let cause = status == 200 ? "an HTML page" : "status 503"
            #expect(said.map { $0.prefix { $0 != ":" } } == ["warning", "info"], "\(said)")
            #expect(said.allSatisfy { $0.contains("cause=\(cause) client=web1") }, "\(said)")
        }
    }

    @Test("a client that is down is retried, with growing delays, and finally given up") func down() async throws {
        try await Office.run { office in
            office.answer(503)
            for _ in 0..<3 { try await office.queue("web1") }
            #expect(await office.tellDue() == AuthorityStore.Logouts.mostOfClient)
            #expect(await office.tellDue() == 0)
            office.clock.advance(by: .seconds(11))
            #expect(await office.tellDue() > 0)
            #expect(await office.tellDue() == 0)
            office.answer(204)
            office.clock.advance(by: .seconds(3601))
            for _ in 0..<3 { _ = await office.tellDue() }
            #expect(try await office.store.logouts.count() == 0)
            office.answer(503)
            try await office.queue("web1")
            for _ in 0..<LogoutDispatcher.mostTries {
                #expect(try await office.store.logouts.count() == 1)
                #expect(await office.tellDue() == 1)
                office.clock.advance(by: .seconds(3601))
            }
            #expect(try await office.store.logouts.count() == 0)
        }
    }

    @Test("an HTML response does not count as delivery, whatever its status: the client is notified again") func page()
        async throws
    {
        try await Office.run { office in
            office.answer(200, "\r\n <html>Sign in to the network</html>")
            try await office.queue("web1")
            #expect(await office.tellDue() == 1)
            #expect(try await office.store.logouts.count() == 1)
            // With any other body, a successful response counts as delivery.
            office.answer(200, "done")
            office.clock.advance(by: .seconds(11))
            #expect(await office.tellDue() == 1)
            #expect(try await office.store.logouts.count() == 0)
        }
    }

    @Test("a client that does not respond delays the others no longer than its timeout") func silent() async throws {
        let deadlines = SleepClock()
        try await Office.run(deadlines: deadlines) { office in
            try await office.queue("silent")
            try await office.queue("web1")
            async let told = office.tellDue()
            try await waitUntil("the other client is told") { try await office.store.logouts.count() == 1 }
            try await deadlines.advance(by: .seconds(10))
            #expect(await told == 2)
            #expect(office.requests.map(\.path).contains("/bye"))
            #expect(try await office.store.logouts.count() == 1)
        }
    }

    @Test("a client that is no longer registered, or has no address, is not notified") func unregistered() async throws
    {
        try await Office.run { office in
            try await office.queue("gone")
            try await office.queue("untold")
            #expect(await office.tellDue() == 2)
            #expect(office.requests.isEmpty)
            #expect(try await office.store.logouts.count() == 0)
        }
    }

    @Test("a client at a local port where another user listens is not notified") func stranger() async throws {
        let other = try OtherUserProcess()
        let port = try other.listen(at: "::ffff:127.0.0.1")
        try await Office.run(stranger: "127.0.0.1:\(port)") { office in
            try await office.queue("stranger")
            #expect(await office.tellDue() == 1)
            #expect(try await office.store.logouts.count() == 1)
            #expect(try other.run("answer = listener.accept()[0].recv(100)") == "b''")
        }
    }

    @Test("a sign-out that two daemons see is delivered by one of them") func twoDaemons() async throws {
        try await Office.run { office in
            try await office.queue("web1")
            async let first = office.tellDue()
            async let second = office.tellDue()
            #expect(await first + second == 1)
            #expect(office.requests.count == 1)
        }
    }

    @Test("a client has at most a thousand pending notifications") func bound() async throws {
        try await Office.run { office in
            try await office.end((0..<1002).map { "s\($0)" }, "web1")
            #expect(try await office.store.logouts.count() == 1000)
            try await office.end(["other"], "silent")
            #expect(try await office.store.logouts.count() == 1001)
        }
    }
}

/// An authority, and a local server that receives the logout tokens of its clients.
private final class Office: Sendable {
    struct Received: Sendable {
        let path: String
        let type: String?
        let form: Form
    }

    private let fixture: AuthorityFixture
    private let dispatcher: LogoutDispatcher
    private let state = Mutex<(status: Int, body: String, requests: [Received])>((200, "", []))
    private let http = OutgoingClients(connect: .seconds(5), route: .direct)
    let lines = LogLines()

    var clock: TestClock { fixture.place.time }
    var store: AuthorityStore { fixture.store }
    var requests: [Received] { state.withLock { $0.requests } }

    private init(_ address: String, stranger: String?, deadlines: any Clock<Duration>) throws {
        let own = [
            ("web1", "\(address)/bye"), ("silent", "\(address)/silent"), ("untold", nil), ("stranger", stranger),
        ]
        let clients = own.map { id, place in
            OAuthClient(
                ClientSummary(
                    client: id,
                    name: id,
                    signOut: SignOutAddresses(backchannelLogoutURI: place.map { "http://\($0)" }),
                    configured: true
                )
            )
        }
        let policy = Policy(id: AuthorityFixture.id("b2c_1_sign_in"), kind: .signIn)
        let settings = AuthorityFixture.settings(
            base: "https://login.example",
            clients: clients,
            policy: policy.id.description
        )
        let catalogue = PolicyCatalogue(policies: [policy], checks: [])
        fixture = try AuthorityFixture(settings: { settings }, catalogue: { catalogue })
        dispatcher = LogoutDispatcher(
            store: fixture.store,
            authority: fixture.authority,
            clock: fixture.clock,
            logger: lines.logger,
            deadlines: deadlines
        )
    }

    /// Starts the local server of the clients, runs `test`, and stops the server.
    static func run(
        stranger: String? = nil,
        deadlines: any Clock<Duration> = ContinuousClock(),
        _ test: (Office) async throws -> Void
    ) async throws {
        let sockets = try ListeningSocket.open([.tcp(host: "127.0.0.1", port: 0)])
        let address = sockets[0].address.description
        let office = try Office(address, stranger: stranger, deadlines: deadlines)
        try await office.fixture.authority.start()
        let router = Router(context: HTTPContext.self)
        for path in ["bye", "elsewhere"] {
            router.post(RouterPath(path)) { request, _ in try await office.receive(request) }
            router.get(RouterPath(path)) { request, _ in try await office.receive(request) }
        }
        router.post("silent") { _, _ in
            try await gracefulShutdown()
            return Response(status: .ok)
        }
        let logger = AuthorityFixture.silent
        let pipeline = HTTPPipeline(router: router, hosts: .any, errors: .oauth, logger: logger)
        let service = HTTPService(
            sockets: sockets,
            pipeline: { pipeline },
            group: MultiThreadedEventLoopGroup.singleton,
            logger: logger
        )
        try await serving([service]) { _ in
            do {
                try await test(office)
            } catch {
                try await office.http.shutdown()
                throw error
            }
            try await office.http.shutdown()
        }
    }

    private func receive(_ request: Request) async throws -> Response {
        let form = try await request.body.collect(upTo: 65_536)
        let received = Received(
            path: request.uri.path,
            type: request.headers[.contentType],
            form: try Form(String(buffer: form))
        )
        let (status, body) = state.withLock { state in
            state.requests.append(received)
            return (state.status, state.body)
        }
        var headers: HTTPFields = [:]
        if (300..<400).contains(status) { headers[.location] = "/elsewhere" }
        return Response(
            status: HTTPResponse.Status(code: status),
            headers: headers,
            body: .init(byteBuffer: ByteBuffer(string: body))
        )
    }

    /// Sets the status and the body of all further responses.
    func answer(_ status: Int, _ body: String = "") { state.withLock { ($0.status, $0.body) = (status, body) } }

    func tellDue() async -> Int { await dispatcher.tellDue(http) }

    /// Queues a sign-out notification for a client.
    func queue(_ client: String) async throws { try await end([UUID().uuidString], client) }

    /// Creates and ends sessions in which the user is signed in to a client.
    func end(_ sessions: [String], _ client: String) async throws {
        try await store.logouts.core.database.write { db in
            for session in sessions {
                try db.run(
                    """
                    INSERT INTO sessions (id, owner, user_id, proofs, policy, client, scope, created_at, ends_wall,
                        ends_boot, ends_boot_id, absolute_wall, absolute_boot, absolute_boot_id)
                    VALUES (:id, 'browser:x', 'u', x'00', 'b2c_1_sign_in', 'c', 'tenant', 0, 0, 0, '', 0, 0, '')
                    """,
                    ["id": session]
                )
                try AuthorityStore.Logouts.note(db, session: session, client: client, policy: "b2c_1_sign_in")
                try db.run("DELETE FROM sessions WHERE id = :id", ["id": session])
            }
        }
    }
}
