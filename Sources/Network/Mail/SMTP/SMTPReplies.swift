import NIOCore
import NIOSSL
import NIOTLS
import OutgoingHTTP

enum SMTPCall: Sendable {
    case ask(ByteBuffer, EventLoopPromise<SMTPReply>)
    case encrypt(NIOSSLContext, serverName: String?, EventLoopPromise<Void>)
}

/// Passes each reply from a mail server to its request, and closes the connection after unsolicited data.
///
/// Data that an attacker injects before TLS starts is thus never mistaken for a reply over TLS.
final class SMTPReplies: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundIn = SMTPCall
    typealias OutboundOut = ByteBuffer

    private var reader = SMTPReplyReader()
    private var waiting: EventLoopPromise<SMTPReply>?
    private var handshake: EventLoopPromise<Void>?
    private var fault: MailError?
    private let host: String

    /// Creates a handler that fulfills `greeting` with the first reply of `host`, which can arrive immediately.
    init(greeting: EventLoopPromise<SMTPReply>, host: String) {
        waiting = greeting
        self.host = host
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var bytes = unwrapInboundIn(data)
        guard fault == nil else { return }
        do throws(MailError) {
            try reader.add(&bytes)
            try answer()
        } catch {
            fail(error, context)
        }
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        let call = unwrapOutboundIn(data)
        if let fault {
            call.fail(fault)
            promise?.fail(fault)
            return
        }
        switch call {
        case .ask(let bytes, let reply):
            waiting = reply
            guard reader.isEmpty else { return fail(Self.unasked, context, promise) }
            context.write(wrapOutboundOut(bytes), promise: promise)
        case .encrypt(let tls, let name, let done):
            handshake = done
            guard reader.isEmpty else { return fail(Self.unasked, context, promise) }
            do {
                let handler = try NIOSSLClientHandler(context: tls, serverHostname: name)
                try context.pipeline.syncOperations.addHandler(handler, position: .first)
                promise?.succeed()
            } catch {
                fail(broken(error), context, promise)
            }
        }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case .handshakeCompleted? = event as? TLSUserEvent {
            handshake?.succeed()
            handshake = nil
        }
        context.fireUserInboundEventTriggered(event)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        let cause = OutgoingHTTP.description(of: error)
        fail(
            handshake == nil ? .unreachable("the connection to the mail server failed: \(cause)") : broken(error),
            context
        )
    }

    func channelInactive(context: ChannelHandlerContext) {
        fail(.unreachable("the mail server closed the connection"), context)
        context.fireChannelInactive()
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        fail(.unreachable("the connection to the mail server is closed"), context)
    }

    private func answer() throws(MailError) {
        guard waiting != nil, let reply = try reader.next() else { return }
        waiting?.succeed(reply)
        waiting = nil
    }

    private func fail(_ error: MailError, _ context: ChannelHandlerContext, _ promise: EventLoopPromise<Void>? = nil) {
        let error = fault ?? error
        fault = error
        waiting?.fail(error)
        handshake?.fail(error)
        promise?.fail(error)
        (waiting, handshake) = (nil, nil)
        context.close(promise: nil)
    }

    private static let unasked = MailError.untrusted(
        "the mail server, or an attacker, sent data without a request"
    )

    private func broken(_ error: any Error) -> MailError {
        if let failure = OutgoingFailure(connecting: error, to: host) { return MailError(.untrusted, failure) }
        return .untrusted("TLS with the mail server failed: \(OutgoingHTTP.description(of: error))")
    }
}

extension SMTPCall {
    fileprivate func fail(_ error: MailError) {
        switch self {
        case .ask(_, let reply): reply.fail(error)
        case .encrypt(_, _, let done): done.fail(error)
        }
    }
}
