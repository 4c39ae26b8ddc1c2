import Broker
import BrokerAPI
import FlowModel
import Logging
import Metrics
import Moments
import NIOCore
import OAuth
import Systemd

/// The socket's connections and their shared state, to be accessed only on the event loop.
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
    /// The clock that measures the time limits of the shutdown.
    private let deadlines: any Clock<Duration>
    private var connections: [ObjectIdentifier: Connection] = [:]
    private var ended: EventLoopPromise<Void>?

    init(
        _ dispatcher: Dispatcher,
        clock: MomentClock,
        deadlines: any Clock<Duration>,
        logger: Logger,
        eventLoop: any EventLoop
    ) {
        let limits = dispatcher.limits
        slowPeers = RefusalLog(logger: logger, level: .warning, clock: clock)
        self.dispatcher = dispatcher
        self.clock = clock
        self.logger = logger
        self.eventLoop = eventLoop
        self.deadlines = deadlines
        state = RegistryState(limits: limits)
        remembered = RememberedAnswers(
            limit: limits.rememberedAnswers,
            perUID: limits.rememberedAnswersPerUID,
            paramsLimit: limits.rememberedParams
        )
    }

    struct Measures {
        let open = Gauge(label: "broker_connections")
        let closedSlow = Counter(label: "broker_slow_connections")
        let cachedAnswers = Counter(label: "broker_cached_answers")
    }

    var limits: SocketLimits { dispatcher.limits }

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

    func noteSlow(_ peer: PeerCredentials) {
        measures.closedSlow.increment()
        slowPeers.refused(
            "a peer reads its responses too slowly; its connection is closed",
            of: "uid \(peer.uid)",
            metadata: ["uid": "\(peer.uid)", "pid": "\(peer.pid)"]
        )
    }

    func admits(lineOf uid: UInt32, isFirst: Bool, at now: Moment) -> RegistryState.Admission {
        state.line(of: uid, isFirst: isFirst, at: now)
    }

    func begin(_ uid: UInt32, _ memory: AnswerMemory) -> Refusal? { state.begin(uid, memory) }

    func ended(_ uid: UInt32) { perform(state.ended(uid)) }

    func settle() { perform(state.settled()) }

    var sweepInterval: Duration {
        max(.milliseconds(10), min(limits.lineTimeout, limits.idleTimeout, limits.closeTimeout) / 4)
    }

    func sweep(at now: NIODeadline = .now()) {
        for connection in connections.values { connection.closeIfOverdue(now) }
        remembered.sweep(now: clock.now, generation: dispatcher.broker.tokens.generation)
    }

    /// Begins the shutdown, and returns a future that completes when all connections are closed.
    func end() -> EventLoopFuture<Void> {
        let promise = eventLoop.makePromise(of: Void.self)
        ended = promise
        let lastCalls = after(limits.lastCallTimeout) { registry in
            registry.perform(registry.state.lastCallsPassed())
            registry.settle()
        }
        let drain = after(limits.drainTimeout) { $0.giveUpCalls() }
        perform(state.end())
        settle()
        return promise.futureResult.always { _ in
            lastCalls.cancel()
            drain.cancel()
        }
    }

    private func after(
        _ time: Duration,
        _ body: @escaping @Sendable (ConnectionRegistry) -> Void
    ) -> Task<Void, Never> {
        let home = NIOLoopBound(self, eventLoop: eventLoop)
        return Task { [deadlines, eventLoop] in
            guard (try? await deadlines.sleep(for: time)) != nil else { return }
            eventLoop.execute { body(home.value) }
        }
    }

    private func giveUpCalls() {
        let action = state.drainPassed()
        if action == .closeConnections { logger.warning("calls abandoned at shutdown") }
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

/// Sends a peer the reason for rejecting it, and then closes the connection.
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
    fileprivate var refusal: Refusal {
        switch self {
        case .nobody: Refusal(.notPermitted, Text("refusal.nobodyInParticular"))
        case .tooManyConnections:
            Refusal(.limitExceeded, Text("refusal.tooManyConnections")).with(.limit, "connections")
        case .ending: .ending
        }
    }
}

extension Refusal {
    /// The refusal of calls that the shutdown cancels or that arrive during the shutdown.
    static let ending = Refusal(.shuttingDown, Text("refusal.ending"))
}
