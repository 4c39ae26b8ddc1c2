import Broker
import BrokerAPI
import FlowModel
import Logging
import Metrics
import Moments
import NIOCore
import OAuth
import Systemd

/// The connections of the socket and their shared state; it is used only on their one event loop.
///
/// ``RegistryState`` makes the decisions, this class carries them out.
final class ConnectionRegistry {
    let dispatcher: Dispatcher
    let clock: MomentClock
    let logger: Logger
    private let slowPeers: RefusalLog
    let measures = Measures()
    var remembered: RememberedAnswers
    var correlationIDs = FastCorrelationIDs()
    private(set) var state: RegistryState
    private let eventLoop: any EventLoop
    private var connections: [ObjectIdentifier: Connection] = [:]
    private var ended: EventLoopPromise<Void>?

    init(_ dispatcher: Dispatcher, clock: MomentClock, logger: Logger, eventLoop: any EventLoop) {
        let limits = dispatcher.limits
        slowPeers = RefusalLog(logger: logger, level: .warning, clock: clock)
        self.dispatcher = dispatcher
        self.clock = clock
        self.logger = logger
        self.eventLoop = eventLoop
        state = RegistryState(limits: limits)
        remembered = RememberedAnswers(
            limit: limits.rememberedAnswers,
            perUID: limits.rememberedAnswersPerUID,
            paramsLimit: limits.rememberedParams
        )
    }

    /// The counters of connections.
    struct Measures {
        let open = Gauge(label: "broker_connections")
        let closedSlow = Counter(label: "broker_slow_connections")
        let cachedAnswers = Counter(label: "broker_cached_answers")
    }

    var limits: SocketLimits { dispatcher.limits }

    /// Serves a connection, or tells its peer the reason for turning it away.
    func serve(_ channel: any Channel, _ peer: PeerCredentials) throws {
        if let reason = state.admit(peer) {
            dispatcher.refusals.refused(
                "connection refused",
                of: "uid \(peer.uid)",
                metadata: ["uid": "\(peer.uid)", "pid": "\(peer.pid)", "reason": "\(reason)"]
            )
            return try channel.pipeline.syncOperations.addHandler(Refuser(reason))
        }
        let connection = Connection(peer: peer, memory: state.memory(of: peer.uid), registry: self)
        do {
            try channel.pipeline.syncOperations.addHandler(connection)
        } catch {
            closed(connection)
            throw error
        }
    }

    func opened(_ connection: Connection) {
        connections[ObjectIdentifier(connection)] = connection
        measures.open.record(connections.count)
    }

    func closed(_ connection: Connection) {
        connections[ObjectIdentifier(connection)] = nil
        measures.open.record(connections.count)
        perform(state.closed(connection.peer.uid, hasAsked: connection.state.hasAsked))
    }

    /// Notes that a connection is closed because its peer takes its answers too slowly.
    func noteSlow(_ peer: PeerCredentials) {
        measures.closedSlow.increment()
        slowPeers.refused(
            "a peer takes its answers too slowly; its connection is closed",
            of: "uid \(peer.uid)",
            metadata: ["uid": "\(peer.uid)", "pid": "\(peer.pid)"]
        )
    }

    /// Decides if a line of a uid may be processed.
    func admits(lineOf uid: UInt32, isFirst: Bool, at now: Moment) -> RegistryState.Admission {
        state.line(of: uid, isFirst: isFirst, at: now)
    }

    /// Begins a call; returns the refusal, or nil if it has begun.
    func begin(_ uid: UInt32, _ memory: AnswerMemory) -> Refusal? { state.begin(uid, memory) }

    func ended(_ uid: UInt32) { perform(state.ended(uid)) }

    func settle() { perform(state.settled()) }

    /// The time between two calls of ``sweep()``.
    var sweepInterval: Duration {
        max(.milliseconds(10), min(limits.lineTimeout, limits.idleTimeout, limits.closeTimeout) / 4)
    }

    /// Closes connections that are idle, never end a line or never read their answers, and drops expired answers.
    func sweep() {
        let now = NIODeadline.now()
        for connection in connections.values { connection.closeIfOverdue(now) }
        remembered.sweep(now: clock.now, generation: dispatcher.broker.tokens.generation)
    }

    /// Begins no more calls, waits a limited time for those under way, and closes all connections.
    ///
    /// - Returns: A future that completes when no connection is left.
    func end() -> EventLoopFuture<Void> {
        let promise = eventLoop.makePromise(of: Void.self)
        ended = promise
        let home = NIOLoopBound(self, eventLoop: eventLoop)
        let lastCalls = eventLoop.scheduleTask(in: TimeAmount(limits.lastCallTimeout)) {
            home.value.perform(home.value.state.lastCallsPassed())
            home.value.settle()
        }
        let drain = eventLoop.scheduleTask(in: TimeAmount(limits.drainTimeout)) { home.value.giveUpCalls() }
        perform(state.end())
        settle()
        return promise.futureResult.always { _ in
            lastCalls.cancel()
            drain.cancel()
        }
    }

    private func giveUpCalls() {
        let action = state.drainPassed()
        if action == .closeConnections { logger.warning("calls given up at the end of the service") }
        perform(action)
    }

    private func perform(_ action: RegistryState.Action) {
        switch action {
        case .none: break
        case .cancelCalls: for connection in connections.values { connection.cancelCalls() }
        case .closeConnections:
            for connection in connections.values { connection.close() }
            settle()
        case .finish: ended?.succeed()
        }
    }
}

/// Tells a peer the reason for turning it away, and closes.
final class Refuser: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let refusal: Refusal

    init(_ reason: RegistryState.TurnedAway) {
        refusal = reason.refusal
    }

    func channelActive(context: ChannelHandlerContext) {
        let error = JSONRPCError(refusal, correlationID: .random())
        let line = JSONRPCResponse(id: .null, outcome: .failure(error)).bytes + [UInt8(ascii: "\n")]
        context.writeAndFlush(wrapOutboundOut(context.channel.allocator.buffer(bytes: line)), promise: nil)
        context.close(promise: nil)
    }
}

extension RegistryState.TurnedAway {
    /// The error sent to the peer.
    fileprivate var refusal: Refusal {
        switch self {
        case .nobody: Refusal(.notPermitted, "this user is nobody in particular here, so nothing can belong to it")
        case .tooManyConnections:
            Refusal(.limitExceeded, "there are too many connections").with(.limit, "connections")
        case .ending: Refusal(.shuttingDown, "the service is ending; try again soon")
        }
    }
}
