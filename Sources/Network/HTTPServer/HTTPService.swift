import HTTPTypes
import Hummingbird
import HummingbirdCore
public import Logging
public import NIOCore
import NIOExtras
import NIOHTTP1
import NIOHTTPTypes
import NIOPosix
public import ServiceLifecycle
import Synchronization
import Systemd

/// Serves one pipeline on several listening sockets until a graceful shutdown.
///
/// During the shutdown, requests in progress finish, and each open connection accepts one more request.
public struct HTTPService: Service {
    private let sockets: [ListeningSocket]
    private let pipeline: @Sendable () async throws -> HTTPPipeline
    private let certificate: ServedCertificate?
    private let limits: HTTPLimits
    private let errors: ErrorFormat
    private let group: any EventLoopGroup
    private let logger: Logger
    private let listeners = HTTPListeners()
    private let places: PeerPlaces
    private let known = KnownPipeline()
    private let answers: AnswerBudget
    private let requests: RequestLog

    /// Creates a service that accepts connections on `sockets` and closes the sockets when the service ends.
    ///
    /// `pipeline` is called for each request, so that a daemon can reload its configuration. If it throws, the
    /// connection is closed. Without `tls`, TLS is not used. Several services can share the budget `answers`
    /// and the log `requests`, which lists malformed requests and is flushed when a service ends.
    public init(
        sockets: [ListeningSocket],
        pipeline: @escaping @Sendable () async throws -> HTTPPipeline,
        tls: TLSFiles? = nil,
        limits: HTTPLimits = HTTPLimits(),
        errors: ErrorFormat = .oauth,
        answers: AnswerBudget? = nil,
        requests: RequestLog? = nil,
        group: any EventLoopGroup,
        logger: Logger
    ) {
        self.sockets = sockets
        self.answers = answers ?? AnswerBudget(logger: logger)
        self.requests = requests ?? RequestLog(logger: logger)
        self.pipeline = pipeline
        certificate = tls.map(ServedCertificate.init)
        self.limits = limits
        self.errors = errors
        self.group = group
        self.logger = logger
        places = PeerPlaces(limits: limits, logger: logger)
    }

    /// The number of event loop turns after which every accepted connection is certain to be served by a task.
    private static let turns = 8

    /// Serves requests until graceful shutdown.
    public func run() async throws {
        defer { requests.flush() }
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            for socket in sockets {
                tasks.addTask { try await serve(socket) }
            }
            tasks.addTask {
                await withGracefulShutdownHandler {
                    await withDiscardingTaskGroup { again in
                        for await socket in listeners.replacements {
                            again.addTask { await serveAgain(socket) }
                        }
                    }
                } onGracefulShutdown: {
                    listeners.close()
                }
            }
            try await tasks.waitForAll()
        }
    }

    /// Whether the file of any Unix socket was removed or replaced, for example by a cleanup of its directory.
    public var isGone: Bool { listeners.isGone }

    /// Replaces each Unix socket whose file was removed or replaced, without interrupting requests in progress.
    ///
    /// - Throws: ``ListenError`` if a socket cannot be replaced.
    public func restore() async throws { try await listeners.restore() }

    /// Reloads the certificate files for new connections.
    ///
    /// - Throws: An error, without any change, if the files do not contain a certificate and its private key.
    public func renewCertificate() throws(UnusableCertificate) { try certificate?.renew() }

    private func serveAgain(_ socket: ListeningSocket) async {
        do {
            try await serve(socket)
        } catch {
            logger.error("listening ended", metadata: ["address": "\(socket.address)", "error": "\(error)"])
        }
    }

    private func serve(_ socket: ListeningSocket) async throws {
        defer { socket.removeFile() }
        if case .tcp = socket.address, let certificate {
            _ = try certificate.current()
            try await serve(socket, SecureChannel(base: plain(socket, isSecure: true), certificate: certificate))
        } else {
            try await serve(socket, plain(socket, isSecure: false))
        }
    }

    private func plain(_ socket: ListeningSocket, isSecure: Bool) -> RequestChannel {
        var decoder = HTTP1Channel.Configuration.DecoderConfiguration()
        decoder.maxHeaderFieldSize = limits.headers
        decoder.maxHeaderListSize = limits.headers
        decoder.maxHeaderFieldCount = limits.headerCount
        let idle = TimeAmount(limits.idle)
        let last = TimeAmount(limits.lastRequest)
        let address = socket.address
        let places = RequestPlaces(limit: limits.connections)
        let answer: @Sendable (HTTPRequestHead, ClientConnection) -> ReadyAnswers.Answer? = { [known] in
            known.last?.ready.answer($0, from: $1)
        }
        return RequestChannel(
            base: HTTP1Channel(
                responder: { [pipeline, known, answers] request, writer, channel in
                    // A response is created only after the client has read almost all of the previous response.
                    try await ReadingPaceHandler.untilRoom(channel)
                    let client = try await ClientConnectionHandler.connection(of: channel)
                    let peer = address.isUnixSocket ? await PeerCredentials.uid(at: channel) : nil
                    let room = AnswerRoom(
                        budget: answers,
                        origin: { client.peerName(peer) },
                        close: { channel.close(promise: nil) }
                    )
                    defer { room.release() }
                    let response = try await known.note(pipeline()).respond(
                        to: request,
                        at: address,
                        over: client.ends,
                        from: client,
                        peer: peer,
                        isSecure: isSecure,
                        room: room
                    ) {
                        try await channel.writeAndFlush(HTTPResponsePart.head(HTTPResponse(status: .continue)))
                    }
                    try await writer.writeInSlices(response)
                },
                configuration: .init(
                    additionalChannelHandlers: [
                        MalformedRequestHandler(errors: errors, log: requests),
                        RequestDeadlineHandler(limit: idle, places: places), LastRequestHandler(limit: last),
                    ],
                    httpDecoderConfiguration: decoder
                )
            ),
            // Prepared responses are correct only on TCP connections without TLS.
            ready: isSecure || address.isUnixSocket ? nil : answer,
            pace: limits.pace,
            closesSlow: { [answers] in answers.closedSlow($0.ends?.client.network ?? "unix") }
        )
    }

    private func serve<Child: ServerChildChannel>(_ socket: ListeningSocket, _ child: Child) async throws {
        let quiescing = ServerQuiescingHelper(group: group)
        socket.limitUnsent()
        let connections = max(limits.connections, limits.connectionsAnswered)
        let server = try await ServerBootstrap(group: group)
            .serverChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let limit = AvailableConnectionsChannelHandler(maxConnections: connections)
                    try channel.pipeline.syncOperations.addHandler(limit)
                    try channel.pipeline.syncOperations.addHandler(EntranceHandler(), position: .first)
                    let handler = quiescing.makeServerChannelHandler(channel: channel)
                    try channel.pipeline.syncOperations.addHandler(handler)
                }
            }
            .childChannelOption(ChannelOptions.allowRemoteHalfClosure, value: true)
            .childChannelOption(ChannelOptions.maxMessagesPerRead, value: 1)
            .childChannelOption(
                ChannelOptions.recvAllocator,
                value: FixedSizeRecvByteBufferAllocator(capacity: limits.bytesPerTurn)
            )
            .bind(socket.fileDescriptor) { channel in
                let admitted =
                    switch socket.address {
                    case .tcp: channel.eventLoop.makeSucceededVoidFuture()
                    case .unix: places.admit(channel)
                    }
                return admitted.flatMap { child.setup(channel: channel, logger: logger) }
                    .map { ArrivedConnection($0, of: child, logger: logger) }
            }
        try ListenQueue.open(on: socket.fileDescriptor)
        listeners.add(socket, server.channel)
        logger.info("listening", metadata: ["address": "\(socket.address)"])
        try await withThrowingDiscardingTaskGroup { tasks in
            tasks.addTask {
                try? await gracefulShutdown()
                await letNobodyElseIn(server.channel)
                quiescing.initiateShutdown(promise: nil)
            }
            try await server.executeThenClose { inbound in
                for try await connection in inbound {
                    tasks.addTask { await connection.serve() }
                }
            }
        }
    }

    /// Stops accepting connections, and waits until every accepted connection is being served, so that none is lost.
    private func letNobodyElseIn(_ listener: any Channel) async {
        try? await listener.eventLoop.submit {
            try listener.pipeline.syncOperations.handler(type: EntranceHandler.self).close()
        }.get()
        try? await listener.setOption(.autoRead, value: false).get()
        // A new connection moves several times between the listener's event loop and the event loop of the connection.
        for _ in 0..<Self.turns { await group.haveTurned() }
    }
}

extension HTTPService: CustomStringConvertible {
    /// A text for the log that contains the addresses that the service listens on.
    public var description: String { "http on \(sockets.map(\.address.description).joined(separator: ", "))" }
}

extension EventLoopGroup {
    /// Waits until every event loop has run a submitted task, which shows that no event loop is blocked.
    public func haveTurned() async {
        for loop in makeIterator() { _ = try? await loop.submit {}.get() }
    }
}

/// Stores the most recently used pipeline for callers that cannot wait for the current pipeline.
final class KnownPipeline: Sendable {
    private let pipeline = Mutex<HTTPPipeline?>(nil)

    var last: HTTPPipeline? { pipeline.withLock { $0 } }

    func note(_ answering: HTTPPipeline) -> HTTPPipeline {
        pipeline.withLock { if $0 !== answering { $0 = answering } }
        return answering
    }
}
