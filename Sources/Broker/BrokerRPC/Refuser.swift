import BrokerAPI
import FlowModel
import NIOCore
import OAuth

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
