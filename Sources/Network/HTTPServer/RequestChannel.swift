import HummingbirdCore
import Logging
import NIOCore
import NIOHTTP1
import NIOHTTPTypesHTTP1
import Systemd

/// Sets up HTTP/1.1 connections, with handlers that process requests before they are converted to `HTTPRequest`.
struct RequestChannel: ServerChildChannel {
    let base: HTTP1Channel
    let ready: (@Sendable (HTTPRequestHead, ClientConnection) -> ReadyAnswers.Answer?)?
    let pace: ReadingPace
    let closesSlow: @Sendable (ClientConnection) -> Void

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<HTTP1Channel.Value> {
        base.setup(channel: channel, logger: logger).flatMapThrowing { value in
            let pipeline = channel.pipeline.syncOperations
            let codec = try pipeline.handler(type: HTTP1ToHTTPServerCodec.self)
            try pipeline.addHandler(RequestHeadHandler(), position: .before(codec))
            let client = ClientConnectionHandler(ConnectionEnds(channel))
            if let ready {
                let handler = ReadyDocumentHandler { [connection = client.connection] in ready($0, connection) }
                try pipeline.addHandler(handler, position: .before(codec))
            }
            try pipeline.addHandler(client, position: .first)
            let reading = ReadingPaceHandler(pace: pace) { [connection = client.connection, closesSlow] in
                closesSlow(connection)
            }
            try pipeline.addHandler(reading, position: .first)
            return value
        }
    }

    func handle(value: HTTP1Channel.Value, logger: Logger) async {
        await base.handle(value: value, logger: logger)
    }
}

/// Records the HTTP version and the host of an absolute target in header fields, because `HTTPRequest` lacks them.
///
/// All data after a request with an unknown transfer coding is ignored (RFC 9112 §6.1, §6.3).
final class RequestHeadHandler: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart

    /// Whether all further data on the connection is ignored, because the end of the last request is unknown.
    private var isOver = false

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !isOver else { return }
        guard case .head(let head) = unwrapInboundIn(data) else { return context.fireChannelRead(data) }
        isOver = !Self.hasKnownEnd(head)
        context.fireChannelRead(wrapInboundOut(.head(Self.completed(head))))
        if isOver { context.fireChannelRead(wrapInboundOut(.end(nil))) }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        if isOver, error is HTTPParserError { return }
        context.fireErrorCaught(error)
    }

    private static func hasKnownEnd(_ head: HTTPRequestHead) -> Bool {
        RequestRules.knows(transferCodings: head.headers["Transfer-Encoding"])
    }

    /// Returns `head` with `Connection: close` if no other request can follow on the connection.
    ///
    /// A host in the target that differs from `Host` is added as a second `Host` (RFC 9112 §3.2.2).
    static func completed(_ head: HTTPRequestHead) -> HTTPRequestHead {
        var head = head
        if head.version != .http1_1 {
            // Expectations are ignored in HTTP/1.0 (RFC 9110 §10.1.1).
            head.headers.remove(name: "Expect")
            head.headers.replaceOrAdd(name: "Connection", value: "close")
        } else if !head.isKeepAlive || !hasKnownEnd(head) {
            head.headers.replaceOrAdd(name: "Connection", value: "close")
        }
        if let target = authority(of: head.uri), let host = head.headers["Host"].first,
            target.lowercased() != host.lowercased()
        {
            head.headers.add(name: "Host", value: target)
        }
        return head
    }

    /// Returns the `host[:port]` of a request target in absolute form, or `nil` if the target has another form.
    private static func authority(of target: String) -> String? {
        guard !target.hasPrefix("/"), let scheme = target.firstRange(of: "://") else { return nil }
        return String(target[scheme.upperBound...].prefix { !"/?#".contains($0) })
    }
}
