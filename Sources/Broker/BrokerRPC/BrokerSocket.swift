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

/// The broker's Unix socket, which uses JSON-RPC 2.0 with one message per line.
///
/// It accepts connections as soon as it is open. ``run()`` serves them until the service shuts down.
public struct BrokerSocket: Service, CustomStringConvertible {
    /// The service's name.
    ///
    /// Without it, the service group would log all properties of this type.
    public let description = "broker socket"
    private let listeners: Listeners
    let registry: NIOLoopBound<ConnectionRegistry>
    private let eventLoop: any EventLoop
    private let logger: Logger

    /// Listens on `endpoints`, and serves calls to `broker` and `administration`.
    ///
    /// The broker must already have been started.
    ///
    /// - Throws: `UnixSocketError` with a message that states the cause.
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

    /// Listens on `endpoints`, and serves calls to `methods`.
    ///
    /// In tests, `peer` replaces the credentials that the kernel reports for the peer.
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

    /// Whether a socket file that this process created no longer exists, for example because its directory was cleaned
    /// up.
    public var isGone: Bool { listeners.isGone }

    /// Recreates the socket if its file no longer exists, without closing existing connections.
    ///
    /// - Throws: `UnixSocketError` with a message that states the cause.
    public func restore() async throws { try await listeners.restore() }

    /// Serves connections until the service group shuts down.
    ///
    /// During the shutdown, it starts no new calls, completes those in progress, and closes all connections.
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

    /// Accepts a connection based on the peer's credentials as reported by the kernel, or sends the peer the reason for
    /// rejecting it.
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
