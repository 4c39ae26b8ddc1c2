public import Administration
public import Broker
import BrokerAPI
import FlowModel
import JSONRPC
public import Logging
public import Moments
public import NIOCore
import NIOPosix
import OAuth
public import ServiceLifecycle
import Systemd

/// The broker's door: a Unix socket that speaks JSON-RPC 2.0, one message a line.
///
/// It listens as soon as it is open; ``run()`` keeps it in order and ends it.
public struct BrokerSocket: Service, CustomStringConvertible {
    /// For the log; without one, the whole value is printed at every start.
    public let description = "broker socket"
    private let doors: Doors
    private let switchboard: NIOLoopBound<Switchboard>
    private let eventLoop: any EventLoop
    private let limits: SocketLimits
    private let logger: Logger

    /// Listens at `endpoints` for a broker, which must have been started, and its administration.
    ///
    /// - Throws: ``EndpointError`` with a sentence that says what stands in the way.
    public static func open(
        _ endpoints: [SocketEndpoint],
        broker: Broker,
        administration: Administration,
        limits: SocketLimits = SocketLimits(),
        clock: MomentClock = .system,
        logger: Logger,
        group: any EventLoopGroup
    ) async throws -> BrokerSocket {
        try await open(
            endpoints,
            backend: .services(broker, administration),
            limits: limits,
            clock: clock,
            logger: logger,
            group: group,
            peer: { $0 }
        )
    }

    /// Listens at `endpoints` for any backend; `peer` says who the kernel's credentials are taken for.
    static func open(
        _ endpoints: [SocketEndpoint],
        backend: Backend,
        limits: SocketLimits,
        clock: MomentClock,
        logger: Logger,
        group: any EventLoopGroup,
        peer: @escaping @Sendable (PeerCredentials) -> PeerCredentials
    ) async throws -> BrokerSocket {
        let eventLoop = group.next()
        let switchboard = try await eventLoop.submit {
            let switchboard = Switchboard(
                backend: backend,
                limits: limits,
                clock: clock,
                logger: logger,
                eventLoop: eventLoop
            )
            return NIOLoopBound(switchboard, eventLoop: eventLoop)
        }.get()
        let doors = Doors { descriptor in
            try await ServerBootstrap(group: eventLoop)
                .serverChannelOption(.backlog, value: limits.backlog)
                .childChannelOption(.allowRemoteHalfClosure, value: true)
                .childChannelInitializer { accept($0, switchboard, peer) }
                .withBoundSocket(descriptor).get()
        }
        do {
            for endpoint in endpoints { try await doors.open(endpoint) }
        } catch {
            await doors.close()
            throw error
        }
        return BrokerSocket(
            doors: doors,
            switchboard: switchboard,
            eventLoop: eventLoop,
            limits: limits,
            logger: logger
        )
    }

    /// Whether a file that this process made is gone: somebody has cleaned its folder away.
    public var isGone: Bool { doors.isGone }

    /// Makes a socket anew whose file is gone; who is connected goes on.
    ///
    /// - Throws: ``EndpointError`` with a sentence that says what stands in the way.
    public func restore() async throws { try await doors.restore() }

    /// Serves until the service group ends; then begins nothing more, finishes what is under way, and closes.
    public func run() async throws {
        let (switchboard, logger) = (switchboard, logger)
        let interval = try await eventLoop.submit { switchboard.value.sweepInterval }.get()
        let sweeping = eventLoop.scheduleRepeatedTask(
            initialDelay: TimeAmount(interval),
            delay: TimeAmount(interval)
        ) { _ in switchboard.value.sweep() }
        try? await gracefulShutdown()
        logger.info("socket closing")
        await doors.close()
        await drain()
        sweeping.cancel()
        try await eventLoop.flatSubmit { switchboard.value.closeAll() }.get()
    }

    /// Waits until nothing is under way, or until that has taken too long.
    private func drain() async {
        let (switchboard, logger, eventLoop) = (switchboard, logger, eventLoop)
        let drained = eventLoop.flatSubmit { switchboard.value.close() }
        let late = eventLoop.makePromise(of: Bool.self)
        drained.whenComplete { _ in late.succeed(false) }
        let first = eventLoop.scheduleTask(in: TimeAmount(limits.lastCallTimeout)) { switchboard.value.closeToAll() }
        let timer = eventLoop.scheduleTask(in: TimeAmount(limits.drainTimeout)) { late.succeed(true) }
        let isLate = (try? await late.futureResult.get()) ?? true
        first.cancel()
        timer.cancel()
        if isLate { logger.warning("calls given up at the end of the service") }
    }

    /// Lets a connection in after the kernel said whose it is, or tells it why not.
    private static func accept(
        _ channel: any Channel,
        _ switchboard: NIOLoopBound<Switchboard>,
        _ peer: @escaping @Sendable (PeerCredentials) -> PeerCredentials
    ) -> EventLoopFuture<Void> {
        channel.eventLoop.makeCompletedFuture {
            let credentials = try channel.pipeline.syncOperations
                .withUnsafeTransportIfAvailable(of: NIOBSDSocket.Handle.self) { try PeerCredentials(descriptor: $0) }
            guard let credentials else { throw ChannelError.operationUnsupported }
            let switchboard = switchboard.value
            let peer = peer(credentials)
            switch switchboard.admit(peer) {
            case .success(let load):
                let connection = Connection(peer: peer, load: load, switchboard: switchboard)
                try channel.pipeline.syncOperations.addHandler(connection)
            case .failure(let turned):
                switchboard.logger.info(
                    "connection refused",
                    metadata: ["uid": "\(peer.uid)", "pid": "\(peer.pid)", "reason": "\(turned.reason)"]
                )
                try channel.pipeline.syncOperations.addHandler(Refuser(refusal: turned.refusal))
            }
        }
    }
}

extension Switchboard.TurnedAway {
    /// What the peer is told.
    fileprivate var refusal: Refusal {
        switch reason {
        case .nobody: Refusal(.notPermitted, "this user is nobody in particular here, so nothing can belong to it")
        case .tooManyConnections:
            Refusal(.limitExceeded, "there are too many connections").with(.limit, "connections")
        case .closing: Refusal(.shuttingDown, "the service is ending; try again soon")
        }
    }
}

/// Tells a peer why it is not let in, and closes.
private final class Refuser: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let refusal: Refusal

    init(refusal: Refusal) {
        self.refusal = refusal
    }

    func channelActive(context: ChannelHandlerContext) {
        let error = JSONRPCError(refusal, correlationID: .random())
        let line = JSONRPCResponse(id: .null, outcome: .failure(error)).bytes + [UInt8(ascii: "\n")]
        context.writeAndFlush(wrapOutboundOut(context.channel.allocator.buffer(bytes: line)), promise: nil)
        context.close(promise: nil)
    }
}
