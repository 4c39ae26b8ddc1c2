import BrokerAPI
import FlowModel
import Logging
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

/// A real socket in a temporary folder, with methods that a test makes up behind it.
final class TestSocket: Sendable {
    let folder: TemporaryFolder
    let clock = TestClock()
    let generation = Mutex<Int64>(0)
    /// Whom the next connections come from.
    let peer = Mutex<UInt32>(1000)
    /// What the kernel said about the last connection.
    let credentials = Mutex<PeerCredentials?>(nil)
    let notes = Mutex<[String]>([])
    let lines = LogLines()
    let uses = Mutex<[String]>([])
    /// The confidential clients, and whether the caller may use each.
    let confidential = Mutex<[String: Bool]>([:])
    /// What is served.
    let socket = Mutex<BrokerSocket?>(nil)

    var path: String { folder.path("s") }

    private init() throws {
        folder = try TemporaryFolder()
    }

    /// Runs `body` while the socket is served, and ends it as a service manager would.
    static func open(
        _ methods: [Method],
        limits: SocketLimits = SocketLimits(),
        deadlines: any Clock<Duration> = ContinuousClock(),
        _ body: (TestSocket, ServiceGroup) async throws -> Void
    ) async throws {
        let server = try TestSocket()
        let socket = try await BrokerSocket.open(
            [.path(server.path, mode: 0o600)],
            backend: server.backend(methods),
            limits: limits,
            clock: server.clock.clock,
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

    private func backend(_ methods: [Method]) -> Backend {
        Backend(
            methods: Dictionary(uniqueKeysWithValues: methods.map { ($0.description.name, $0) }),
            caller: {
                Caller(owner: Owner.local(machine: "m", uid: $0.uid), pid: $0.pid, correlationID: $1)
            },
            checkClient: { client, _ in
                switch self.confidential.withLock({ $0[client ?? "none"] }) {
                case nil: return true
                case true?: return false
                case false?: throw Refusal(.unknownClient, Text(exactly: "closed"))
                }
            },
            generation: { _ in self.generation.withLock { $0 } },
            noteUse: { uid, account in self.uses.withLock { $0.append("\(uid) \(account)") } },
            noteUnanswerable: { method, caller in
                self.notes.withLock { $0.append("\(method) \(caller.owner.key)") }
            }
        )
    }

    /// Bytes of answers to a uid that the server holds.
    func unreadBytes(of uid: UInt32) async throws -> Int {
        try await registry { $0.state.unreadBytes(of: uid) }
    }

    /// Bytes of answers to all uids that the server holds.
    func unreadBytes() async throws -> Int { try await registry { $0.state.unreadBytes } }

    /// Closes what is overdue when so much time has passed.
    func sweep(after time: Duration) async throws {
        try await registry { $0.sweep(at: .now() + TimeAmount(time)) }
    }

    /// Calls under way.
    func calls() async throws -> Int { try await registry { $0.state.calls } }

    private func registry<T: Sendable>(_ look: @escaping @Sendable (ConnectionRegistry) -> T) async throws -> T {
        guard let registry = socket.withLock({ $0?.registry }) else { throw LineSocket.Failure.closed }
        return try await registry.eventLoop.submit { look(registry.value) }.get()
    }

    /// Opens and closes a second server at an endpoint.
    func listen(_ endpoint: SocketEndpoint) async throws {
        let listeners = Listeners { _ in throw LineSocket.Failure.closed }
        try await listeners.open(endpoint)
    }

    /// A connection.
    func connect() throws -> LineSocket { try LineSocket(path) }
}

extension Method {
    /// A method that a test makes up.
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

    /// Answers its parameters.
    static let echo = made("echo") { _, params in MethodResult(result: .object(params)) }
}

extension LineSocket {
    /// The next line as JSON, awaited without holding a thread that the server needs.
    func next() async throws -> JSONValue {
        let line = try await NIOThreadPool.singleton.runIfActive { try self.receive() }
        return try StrictJSON.parse(line.utf8)
    }

    /// Sends a line and awaits the next one.
    func ask(_ line: String) async throws -> JSONValue {
        try send(line)
        return try await next()
    }

    /// Whether the server closes.
    func closes() async throws -> Bool {
        try await NIOThreadPool.singleton.runIfActive { self.isClosed() }
    }
}

/// A server that stays shut until it is opened; whoever came before waits.
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

    /// Returns when so many have arrived.
    func arrived(_ count: Int) async {
        if arrivals >= count { return }
        await withCheckedContinuation { watchers.append((count, $0)) }
    }

    /// Lets everybody through.
    func open() {
        isOpen = true
        for continuation in waiting { continuation.resume() }
        waiting = []
    }
}
