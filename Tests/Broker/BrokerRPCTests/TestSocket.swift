import Authority
import AuthorityFixture
import AuthorityStore
import BrokerAPI
import FlowModel
import Moments
import NIOCore
import NIOPosix
import OAuth
import ServiceLifecycle
import Synchronization
import Systemd
import TestSupport

@testable import Broker
@testable import BrokerRPC

/// A server on a real socket, with a broker, an administration and the methods that a test defines.
final class TestSocket: Sendable {
    let fixture: AuthorityFixture
    let broker: Broker
    /// The uid that the server sees for subsequent connections.
    let peer = Mutex<UInt32>(1000)
    /// The credentials that the kernel reported for the last connection.
    let credentials = Mutex<PeerCredentials?>(nil)
    let lines = LogLines()
    /// The clients that are configured in the authority.
    let clients = Clients()
    /// The running server, or `nil` if no server is running.
    let socket = Mutex<BrokerSocket?>(nil)

    var folder: TemporaryFolder { fixture.place.folder }
    var clock: TestClock { fixture.place.time }
    var path: String { folder.path("s") }

    final class Clients: Sendable {
        let all = Mutex<[OAuthClient]>([])
    }

    private init() throws {
        fixture = try AuthorityFixture(settings: { [clients] in
            AuthorityFixture.settings(clients: clients.all.withLock { $0 })
        })
        broker = fixture.broker(try fixture.cache())
    }

    /// Runs `body` while the server runs, and then stops the server as a service manager would.
    static func open(
        _ methods: [Method],
        limits: SocketLimits = SocketLimits(),
        deadlines: any Clock<Duration> = ContinuousClock(),
        _ body: (TestSocket, ServiceGroup) async throws -> Void
    ) async throws {
        let server = try TestSocket()
        let socket = try await BrokerSocket.open(
            [.path(server.path, mode: 0o600)],
            broker: server.broker,
            administration: server.fixture.administration(),
            methods: methods,
            limits: limits,
            clock: server.fixture.clock,
            deadlines: deadlines,
            logger: server.lines.logger,
            group: MultiThreadedEventLoopGroup.singleton,
            peer: { peer in
                server.credentials.withLock { $0 = peer }
                return server.peer.withLock { PeerCredentials(pid: peer.pid, uid: $0, gid: peer.gid) }
            }
        )
        server.socket.withLock { $0 = socket }
        try await serving([socket]) { group in try await body(server, group) }
    }

    /// Returns the audit events about calls without an id, each as the method and the uid.
    func notes() async throws -> [String] {
        try await fixture.store.audit.all(limit: 1000).filter { $0.event == "request.unanswerable" }
            .map { "\($0.detail["method"] ?? "") \($0.uid ?? 0)" }
    }

    /// Advances the clock by a minute, and returns the number of suppressed audit events.
    func suppressed() async throws -> Int {
        clock.advance(by: .seconds(61))
        await broker.housekeeping()
        let events = try await fixture.store.audit.all(limit: 1000).filter { $0.event == "audit.suppressed" }
        return events.compactMap { $0.detail["count"].flatMap(Int.init) }.reduce(0, +)
    }

    /// Returns the total size of a uid's unread responses, in bytes.
    func unreadBytes(of uid: UInt32) async throws -> Int {
        try await registry { $0.state.unreadBytes(of: uid) }
    }

    /// Returns the total size of all unread responses, in bytes.
    func unreadBytes() async throws -> Int { try await registry { $0.state.unreadBytes } }

    /// Closes the connections that would be overdue after `time`.
    func sweep(after time: Duration) async throws {
        try await registry { $0.sweep(at: .now() + TimeAmount(time)) }
    }

    /// Returns the number of calls in progress.
    func calls() async throws -> Int { try await registry { $0.state.calls } }

    private func registry<T: Sendable>(_ look: @escaping @Sendable (ConnectionRegistry) -> T) async throws -> T {
        guard let registry = socket.withLock({ $0?.registry }) else { throw LineSocket.Failure.closed }
        return try await registry.eventLoop.submit { look(registry.value) }.get()
    }

    /// Tries to open an endpoint, as a second server would.
    func listen(_ endpoint: SocketEndpoint) async throws {
        let listeners = Listeners { _ in throw LineSocket.Failure.closed }
        try await listeners.open(endpoint)
    }

    func connect() throws -> LineSocket { try LineSocket(path) }
}

extension Method {
    /// Creates a method from a closure.
    static func made(
        _ name: String,
        changesState: Bool = false,
        deadline: Duration = .seconds(30),
        clock: any Clock<Duration> = ContinuousClock(),
        _ run: @escaping @Sendable (Call, [String: JSONValue]) async throws -> MethodResult
    ) -> Method {
        Method(
            description: MethodDescription(name, "Made by a test.", changesState: changesState),
            permission: .anyone
        ) { params in
            let deadline = CallDeadline(duration: deadline, survivesCaller: changesState, clock: clock)
            return Prepared(deadline: deadline) { try await run($0, params) }
        }
    }

    /// A method that returns its parameters.
    static let echo = made("echo") { _, params in MethodResult(result: .object(params)) }
}

extension LineSocket {
    /// Reads the next line as JSON without blocking a thread that the server needs.
    func next() async throws -> JSONValue {
        try StrictJSON.parse(try await nextLine().utf8)
    }

    /// Reads the next line without blocking a thread that the server needs.
    func nextLine() async throws -> String {
        try await NIOThreadPool.singleton.runIfActive { try self.receive() }
    }

    /// Sends a line, and returns the next line as JSON.
    func ask(_ line: String) async throws -> JSONValue {
        try send(line)
        return try await next()
    }

    /// Waits for the server to close the connection, and returns whether it did.
    func closes() async throws -> Bool {
        try await NIOThreadPool.singleton.runIfActive { self.isClosed() }
    }
}

/// A gate at which calls wait until it is opened.
actor Gate {
    private var isOpen = false
    private var waiting: [CheckedContinuation<Void, Never>] = []
    private var arrivals = 0
    private var watchers: [(Int, CheckedContinuation<Void, Never>)] = []

    /// Waits until the gate is open.
    func pass() async {
        arrivals += 1
        let due = watchers.filter { $0.0 <= arrivals }
        watchers.removeAll { $0.0 <= arrivals }
        for (_, watcher) in due { watcher.resume() }
        if isOpen { return }
        await withCheckedContinuation { waiting.append($0) }
    }

    /// Waits until `count` calls have arrived.
    func arrived(_ count: Int) async {
        if arrivals >= count { return }
        await withCheckedContinuation { watchers.append((count, $0)) }
    }

    /// Lets all waiting calls continue.
    func open() {
        isOpen = true
        for continuation in waiting { continuation.resume() }
        waiting = []
    }
}
