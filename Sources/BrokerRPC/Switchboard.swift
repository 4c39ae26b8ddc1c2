import JSONRPC
import Logging
import Metrics
import Moments
import NIOCore
import Systemd

/// What the connections of the socket share; it lives on their one event loop and is touched nowhere else.
final class Switchboard {
    /// What one uid has under way.
    final class Load {
        var connections = 0
        var calls = 0
        var second: Int64 = 0
        var requests = 0
    }

    let dispatcher: Dispatcher
    let limits: SocketLimits
    let clock: MomentClock
    let logger: Logger
    let eventLoop: any EventLoop
    let cachedAnswers = Counter(label: "broker_cached_answers")
    let openConnections = Gauge(label: "broker_connections")
    var remembered: RememberedAnswers
    var correlationIDs = FastCorrelationIDs()
    /// Nothing more is begun, but for who was let in and has not asked yet.
    private(set) var isClosing = false
    /// Nobody is waited for any more.
    private var isOver = false
    private var connections: [ObjectIdentifier: Connection] = [:]
    private var loads: [UInt32: Load] = [:]
    private var calls = 0
    private var drained: EventLoopPromise<Void>?
    private var emptied: EventLoopPromise<Void>?

    init(backend: Backend, limits: SocketLimits, clock: MomentClock, logger: Logger, eventLoop: any EventLoop) {
        dispatcher = Dispatcher(backend: backend, limits: limits, logger: logger)
        self.limits = limits
        self.clock = clock
        self.logger = logger
        self.eventLoop = eventLoop
        remembered = RememberedAnswers(
            limit: limits.rememberedAnswers,
            perUID: limits.rememberedAnswersPerUID,
            paramsLimit: limits.rememberedParams
        )
    }

    /// Why a peer is not let in.
    enum Turned: Hashable {
        case nobody
        case tooManyConnections
        case closing
    }

    /// Lets a connection in, or says why not.
    func admit(_ peer: PeerCredentials) -> Result<Load, TurnedAway> {
        if peer.isNobody { return .failure(TurnedAway(reason: .nobody)) }
        if isOver { return .failure(TurnedAway(reason: .closing)) }
        let load = loads[peer.uid] ?? Load()
        guard load.connections < limits.connectionsPerUID, connections.count < limits.connections else {
            return .failure(TurnedAway(reason: .tooManyConnections))
        }
        loads[peer.uid] = load
        return .success(load)
    }

    /// A peer that is not let in.
    struct TurnedAway: Error {
        let reason: Turned
    }

    func opened(_ connection: Connection) {
        connections[ObjectIdentifier(connection)] = connection
        connection.load.connections += 1
        openConnections.record(connections.count)
    }

    func closed(_ connection: Connection) {
        guard connections.removeValue(forKey: ObjectIdentifier(connection)) != nil else { return }
        connection.load.connections -= 1
        openConnections.record(connections.count)
        forget(connection.load, of: connection.peer.uid)
        if connections.isEmpty { emptied?.succeed() }
        noteDrained()
    }

    func began(_ load: Load) {
        load.calls += 1
        calls += 1
    }

    func ended(_ load: Load, of uid: UInt32) {
        load.calls -= 1
        calls -= 1
        forget(load, of: uid)
        noteDrained()
    }

    private func forget(_ load: Load, of uid: UInt32) {
        if load.connections == 0, load.calls == 0, loads[uid] === load { loads[uid] = nil }
    }

    /// Counts a request; false if this second has had enough of them.
    func allowsRequest(_ load: Load, now: Moment) -> Bool {
        let second = now.boot / 1000
        if load.second != second {
            load.second = second
            load.requests = 0
        }
        load.requests += 1
        return load.requests <= limits.requestsPerSecondPerUID
    }

    /// How often ``sweep()`` is due.
    var sweepInterval: Duration { max(.milliseconds(10), min(limits.lineTimeout, limits.idleTimeout) / 4) }

    /// Closes what stands idle or never ends its line, and forgets answers that are over.
    func sweep() {
        let now = NIODeadline.now()
        for connection in connections.values { connection.closeIfOverdue(now) }
        remembered.sweep(now: clock.now, generation: dispatcher.backend.generation)
    }

    /// Begins nothing any more and waits for nobody who only waits; succeeds when nothing is under way.
    ///
    /// Who was let in and has not asked yet is still served once: he could not know, and the line may be on its way.
    func close() -> EventLoopFuture<Void> {
        isClosing = true
        for connection in connections.values { connection.cancelReaders() }
        let promise = eventLoop.makePromise(of: Void.self)
        drained = promise
        noteDrained()
        return promise.futureResult
    }

    /// Waits no longer for those who have not asked yet, nor for what they wait for.
    func closeToAll() {
        isOver = true
        for connection in connections.values { connection.cancelReaders() }
        noteDrained()
    }

    /// Says that nothing is under way, if that was asked for and is so.
    func noteDrained() {
        guard let drained, calls == 0, isOver || connections.values.allSatisfy(\.hasAsked) else { return }
        isOver = true
        drained.succeed()
    }

    /// Closes every connection after what was written to it; succeeds when none is left.
    func closeAll() -> EventLoopFuture<Void> {
        let promise = eventLoop.makePromise(of: Void.self)
        emptied = promise
        if connections.isEmpty { promise.succeed() }
        for connection in connections.values { connection.closeNow() }
        return promise.futureResult
    }
}
