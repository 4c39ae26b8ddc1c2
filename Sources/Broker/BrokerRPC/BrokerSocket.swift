public import Administration
public import Broker
import BrokerAPI
import FlowModel
public import Logging
public import Moments
public import NIOCore
import NIOPosix
import OAuth
public import ServiceLifecycle
import Systemd

/// The broker's Unix socket: JSON-RPC 2.0, one message a line.
///
/// It listens once it is open; ``run()`` maintains and ends it.
public struct BrokerSocket: Service, CustomStringConvertible {
    /// The name in the log; without one, the whole value is printed at every start.
    public let description = "broker socket"
    private let listeners: Listeners
    /// The connections; internal for tests, which inspect them.
    let registry: NIOLoopBound<ConnectionRegistry>
    private let eventLoop: any EventLoop
    private let logger: Logger

    /// Listens at `endpoints` for a broker, which must have been started, and its administration.
    ///
    /// - Throws: `UnixSocketError` with a sentence that names the obstacle.
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
            broker: broker,
            administration: administration,
            methods: MethodTable.methods,
            limits: limits,
            clock: clock,
            logger: logger,
            group: group,
            peer: { $0 }
        )
    }

    /// Listens at `endpoints` for any methods; `peer` maps the kernel's credentials, unchanged outside of tests.
    static func open(
        _ endpoints: [SocketEndpoint],
        broker: Broker,
        administration: Administration,
        methods: [Method],
        limits: SocketLimits,
        clock: MomentClock,
        deadlines: any Clock<Duration> = ContinuousClock(),
        logger: Logger,
        group: any EventLoopGroup,
        peer: @escaping @Sendable (PeerCredentials) -> PeerCredentials
    ) async throws -> BrokerSocket {
        let eventLoop = group.next()
        let registry = try await eventLoop.submit {
            let dispatcher = Dispatcher(
                broker: broker,
                administration: administration,
                methods: methods,
                limits: limits,
                clock: clock,
                logger: logger
            )
            let registry = ConnectionRegistry(
                dispatcher,
                clock: clock,
                deadlines: deadlines,
                logger: logger,
                eventLoop: eventLoop
            )
            return NIOLoopBound(registry, eventLoop: eventLoop)
        }.get()
        let listeners = Listeners { descriptor in
            let channel = try await ServerBootstrap(group: eventLoop)
                .childChannelOption(.allowRemoteHalfClosure, value: true)
                .childChannelOption(.maxMessagesPerRead, value: 1)
                .childChannelOption(
                    .recvAllocator,
                    value: FixedSizeRecvByteBufferAllocator(capacity: limits.bytesPerTurn)
                )
                .childChannelInitializer { accept($0, registry, peer) }
                .withBoundSocket(descriptor).get()
            try ListenQueue.open(on: descriptor)
            return channel
        }
        do {
            for endpoint in endpoints { try await listeners.open(endpoint) }
        } catch {
            await listeners.close()
            throw error
        }
        for path in listeners.paths { logger.info("listening", metadata: ["address": "\(path)"]) }
        return BrokerSocket(
            listeners: listeners,
            registry: registry,
            eventLoop: eventLoop,
            logger: logger
        )
    }

    /// True if a socket file that this process made is gone, for example because its folder was cleaned.
    public var isGone: Bool { listeners.isGone }

    /// Makes a socket anew if its file is gone; existing connections stay.
    ///
    /// - Throws: `UnixSocketError` with a sentence that names the obstacle.
    public func restore() async throws { try await listeners.restore() }

    /// Serves until the service group ends; then begins no more calls, finishes those under way, and closes.
    public func run() async throws {
        let registry = registry
        let interval = TimeAmount(try await eventLoop.submit { registry.value.sweepInterval }.get())
        let sweeping = eventLoop.scheduleRepeatedTask(initialDelay: interval, delay: interval) { _ in
            registry.value.sweep()
        }
        try? await gracefulShutdown()
        logger.info("socket closing")
        await listeners.close()
        try await eventLoop.flatSubmit { registry.value.end() }.get()
        sweeping.cancel()
    }

    /// Admits a connection by the kernel's credentials of its peer, or tells the peer the reason for turning it away.
    private static func accept(
        _ channel: any Channel,
        _ registry: NIOLoopBound<ConnectionRegistry>,
        _ peer: @escaping @Sendable (PeerCredentials) -> PeerCredentials
    ) -> EventLoopFuture<Void> {
        channel.eventLoop.makeCompletedFuture {
            let credentials = try channel.pipeline.syncOperations
                .withUnsafeTransportIfAvailable(of: NIOBSDSocket.Handle.self) { try PeerCredentials(descriptor: $0) }
            guard let credentials else { throw ChannelError.operationUnsupported }
            try registry.value.serve(channel, peer(credentials))
        }
    }
}
