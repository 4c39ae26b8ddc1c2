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

/// The broker's Unix socket, which serves JSON-RPC 2.0 as soon as it is open, with one message per line.
public struct BrokerSocket: Service, CustomStringConvertible {
    /// The name that the service group logs, instead of all properties of the socket.
    public let description = "broker socket"
    private let listeners: Listeners
    let registry: NIOLoopBound<ConnectionRegistry>
    private let eventLoop: any EventLoop
    private let logger: Logger

    /// Opens a socket on `endpoints` that passes calls to `administration` and `broker`.
    ///
    /// The caller must start `broker` before it calls this method.
    ///
    /// - Throws: `UnixSocketError` with the cause.
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

    /// Opens a socket for which tests can replace the peer credentials that the kernel reports.
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

    /// Whether a socket file that this process created has been removed or replaced.
    public var isGone: Bool { listeners.isGone }

    /// Recreates each socket whose file has been removed or replaced, without closing existing connections.
    ///
    /// - Throws: `UnixSocketError` with a message that states the cause.
    public func restore() async throws { try await listeners.restore() }

    /// Closes overdue connections until the service group shuts down, and then closes the socket and all connections.
    ///
    /// At the shutdown, calls that change state are completed, and other calls are cancelled.
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

    /// Accepts a connection or sends the reason for rejecting it, depending on the peer credentials from the kernel.
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
