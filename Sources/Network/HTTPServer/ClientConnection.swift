import FlowModel
public import NIOCore
import Origins
import Synchronization
public import Systemd

/// The client's side of a connection, which identifies the client and tells whether it has closed the connection.
public final class ClientConnection: Sendable {
    private struct State {
        var isClosed = false
        var peer: TCPOwner.Peer?
        var waiting: [UInt64: CheckedContinuation<Void, Never>] = [:]
        var last: UInt64 = 0
    }

    /// The two endpoints of the TCP connection, or `nil` if the connection does not use TCP.
    public let ends: ConnectionEnds?
    private let state = Mutex(State())

    /// Creates the client's side of a connection that is still open.
    public init(_ ends: ConnectionEnds? = nil) {
        self.ends = ends
    }

    /// Returns the peer of the connection, and asks the kernel for the peer only once.
    public func peer(_ ends: ConnectionEnds) -> TCPOwner.Peer {
        if let known = state.withLock({ $0.peer }) { return known }
        let peer = TCPOwner.peer(client: ends.client, server: ends.server)
        state.withLock { $0.peer = peer }
        return peer
    }

    /// Returns a name for per-client limits, which contains a local client's uid or a remote client's network.
    func peerName(_ ends: ConnectionEnds?) -> String {
        guard let ends else { return "local" }
        return switch peer(ends) {
        case .uid(let uid): "uid \(uid)"
        case .unknown: "unknown local"
        case .remote: ends.client.network
        }
    }

    func peerName(_ peer: UInt32?) -> String {
        peer.map { "uid \($0)" } ?? peerName(ends)
    }

    /// Returns the origin of a connection between `ends`, or of the uid `peer` at a Unix socket.
    func origin(_ ends: ConnectionEnds?, _ peer: UInt32?) -> Origin {
        if let peer { return .local(machine: "", uid: peer) }
        guard let ends else { return .unknownLocal(machine: "") }
        return switch self.peer(ends) {
        case .uid(let uid): .local(machine: "", uid: uid)
        case .unknown: .unknownLocal(machine: "")
        case .remote: .address(NetworkAddress(bytes: ends.client.bytes).place)
        }
    }

    /// Waits until the client has closed its side of the connection, or until the task is cancelled.
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

    func close() {
        let waiting = state.withLock { state in
            defer { state.waiting = [:] }
            state.isClosed = true
            return state.waiting.values
        }
        for proceed in waiting { proceed.resume() }
    }
}

/// Detects that the client has closed its side of the connection, even while the server is not reading.
final class ClientConnectionHandler: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = Any
    typealias InboundOut = Any

    let connection: ClientConnection

    init(_ ends: ConnectionEnds?) {
        connection = ClientConnection(ends)
    }

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

/// The two endpoints of the TCP connection that a request arrived on.
public struct ConnectionEnds: Hashable, Sendable {
    /// The remote endpoint, which belongs to a client or a proxy.
    public let client: TCPOwner.End
    /// The local endpoint, which belongs to this server.
    public let server: TCPOwner.End

    /// Creates a pair of endpoints.
    public init(client: TCPOwner.End, server: TCPOwner.End) {
        self.client = client
        self.server = server
    }

    init?(_ channel: any Channel) {
        guard let client = channel.remoteAddress.flatMap(TCPOwner.End.init),
            let server = channel.localAddress.flatMap(TCPOwner.End.init)
        else { return nil }
        self.init(client: client, server: server)
    }
}

extension TCPOwner.End {
    /// Creates an endpoint from a socket address, or returns `nil` for the address of a Unix socket.
    public init?(_ address: SocketAddress) {
        guard let end = address.withSockAddr({ address, _ in TCPOwner.End(address) }) else { return nil }
        self = end
    }
}
