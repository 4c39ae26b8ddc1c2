public import NIOCore
import Synchronization
public import Systemd

/// The client's end of a connection: who is there, and until when.
///
/// A client may close its side while its request is still worked on.
public final class ClientConnection: Sendable {
    private struct State {
        var isClosed = false
        var peer: TCPOwner.Peer?
        var waiting: [UInt64: CheckedContinuation<Void, Never>] = [:]
        var last: UInt64 = 0
    }

    /// The ends of the TCP connection; nil for one that came another way.
    public let ends: ConnectionEnds?
    private let state = Mutex(State())

    /// Makes a connection that is open.
    public init(_ ends: ConnectionEnds? = nil) {
        self.ends = ends
    }

    /// Returns the program that the connection came from.
    ///
    /// The kernel is asked at the first call, and the connection keeps its answer.
    public func peer(_ ends: ConnectionEnds) -> TCPOwner.Peer {
        if let known = state.withLock({ $0.peer }) { return known }
        let peer = TCPOwner.peer(client: ends.client, server: ends.server)
        state.withLock { $0.peer = peer }
        return peer
    }

    /// Returns the name under which limits per caller are counted.
    ///
    /// It is the uid of a program of this machine, or the network that the connection came from. All programs of this
    /// machine whose uid the kernel does not tell share one name.
    func peerName(_ ends: ConnectionEnds?) -> String {
        guard let ends else { return "local" }
        return switch peer(ends) {
        case .uid(let uid): "uid \(uid)"
        case .unknown: "unknown local"
        case .remote: ends.client.network
        }
    }

    /// Returns the same name for a connection whose peer at a Unix socket is known.
    func peerName(_ peer: UInt32?) -> String {
        peer.map { "uid \($0)" } ?? peerName(ends)
    }

    /// Returns once the client has closed its side, or the task is cancelled.
    public func untilClosed() async {
        let number = state.withLock { state in
            state.last += 1
            return state.last
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { (proceed: CheckedContinuation<Void, Never>) in
                let isOver = state.withLock { state in
                    guard !state.isClosed, !Task.isCancelled else { return true }
                    state.waiting[number] = proceed
                    return false
                }
                if isOver { proceed.resume() }
            }
        } onCancel: {
            state.withLock { $0.waiting.removeValue(forKey: number) }?.resume()
        }
    }

    /// Notes that the client has closed its side.
    func close() {
        let waiting = state.withLock { state in
            defer { state.waiting = [:] }
            state.isClosed = true
            return state.waiting.values
        }
        for proceed in waiting { proceed.resume() }
    }
}

/// Notes when the client of a connection closes its side, whether or not the server reads at that moment.
final class ClientConnectionHandler: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = Any
    typealias InboundOut = Any

    let connection: ClientConnection

    init(_ ends: ConnectionEnds?) {
        connection = ClientConnection(ends)
    }

    /// Returns the client's end of a channel.
    static func connection(of channel: any Channel) async throws -> ClientConnection {
        guard channel.eventLoop.inEventLoop else {
            return try await channel.eventLoop.submit {
                try channel.pipeline.syncOperations.handler(type: ClientConnectionHandler.self).connection
            }.get()
        }
        return try channel.pipeline.syncOperations.handler(type: ClientConnectionHandler.self).connection
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case .inputClosed? = event as? ChannelEvent { connection.close() }
        context.fireUserInboundEventTriggered(event)
    }

    func channelInactive(context: ChannelHandlerContext) {
        connection.close()
        context.fireChannelInactive()
    }
}

/// The two ends of the TCP connection that a request came over.
public struct ConnectionEnds: Hashable, Sendable {
    /// The peer's end: a client's or a proxy's.
    public let client: TCPOwner.End
    /// Our end.
    public let server: TCPOwner.End

    /// The ends of a connection.
    public init(client: TCPOwner.End, server: TCPOwner.End) {
        self.client = client
        self.server = server
    }

    /// The ends of a channel; nil for one that is not of TCP.
    init?(_ channel: any Channel) {
        guard let client = channel.remoteAddress.flatMap(TCPOwner.End.init),
            let server = channel.localAddress.flatMap(TCPOwner.End.init)
        else { return nil }
        self.init(client: client, server: server)
    }
}

extension TCPOwner.End {
    /// The end that a socket's address names; nil for a Unix socket.
    public init?(_ address: SocketAddress) {
        guard let end = address.withSockAddr({ address, _ in TCPOwner.End(address) }) else { return nil }
        self = end
    }
}
