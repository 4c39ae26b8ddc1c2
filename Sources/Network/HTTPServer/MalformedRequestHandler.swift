import FlowModel
import HTTPTypes
import NIOCore
import NIOHTTP1
import NIOHTTPTypes
import Systemd

/// Replaces NIO's empty 400 response to a request that is not HTTP or whose header fields are too large.
final class MalformedRequestHandler: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    private let errors: ErrorFormat
    private let log: RequestLog
    /// The number of requests whose header fields have arrived and whose responses are not complete.
    private var requests = 0
    private var fault: HTTPParserError?

    init(errors: ErrorFormat, log: RequestLog) {
        self.errors = errors
        self.log = log
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        if case .head = unwrapInboundIn(data) { requests += 1 }
        context.fireChannelRead(data)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        if fault == nil { fault = error as? HTTPParserError }
        context.fireErrorCaught(error)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        switch unwrapOutboundIn(data) {
        case .head(let head) where head.status.kind != .informational && requests == 0:
            let id = HTTPPipeline.newCorrelationID()
            let (head, body) = errors.answer(toMalformed: fault, id)
            let entry = RequestLog.Entry(
                method: nil,
                route: nil,
                status: head.status,
                time: .zero,
                bytes: body.readableBytes,
                correlationID: id
            )
            log.record(entry, at: .now) { Self.origin(of: context.channel).logText }
            context.write(wrapOutboundOut(.head(head)), promise: nil)
            context.write(wrapOutboundOut(.body(body)), promise: promise)
        case .end where requests > 0:
            requests -= 1
            context.write(data, promise: promise)
        default:
            context.write(data, promise: promise)
        }
    }

    private static func origin(of channel: any Channel) -> Origin {
        let handler = try? channel.pipeline.syncOperations.handler(type: ClientConnectionHandler.self)
        let client = handler?.connection ?? ClientConnection(ConnectionEnds(channel))
        let peer = client.ends == nil ? try? PeerCredentials(at: channel).uid : nil
        return client.origin(client.ends, peer)
    }
}

extension ErrorFormat {
    fileprivate func answer(toMalformed fault: HTTPParserError?, _ id: String) -> (HTTPResponse, ByteBuffer) {
        let problem: HTTPProblem =
            switch fault {
            case .headerOverflow: .of(.requestHeaderFieldsTooLarge)
            case .invalidVersion: .of(.httpVersionNotSupported)
            default: HTTPProblem(.badRequest, code: "invalid_request", message: "this is not an HTTP/1.1 request")
            }
        let body = ByteBuffer(bytes: self.body(problem, correlationID: id))
        var head = HTTPResponse(status: problem.status)
        head.headerFields[.connection] = "close"
        head.headerFields[.contentLength] = "\(body.readableBytes)"
        head.headerFields[.contentType] = "application/json; charset=utf-8"
        head.headerFields[.date] = HTTPDate.now
        if let name = HTTPPipeline.correlationIDName { head.headerFields[name] = id }
        return (head, body)
    }
}
