import HTTPTypes
import NIOCore
import NIOHTTP1
import NIOHTTPTypes

/// Replaces NIO's empty 400 response to a request that is not HTTP or whose header fields are too large.
final class MalformedRequestHandler: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    private let errors: ErrorFormat
    /// The number of requests whose header fields have arrived and whose responses are not complete.
    private var requests = 0
    private var fault: HTTPParserError?

    init(errors: ErrorFormat) {
        self.errors = errors
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
            let (head, body) = errors.answer(toMalformed: fault)
            context.write(wrapOutboundOut(.head(head)), promise: nil)
            context.write(wrapOutboundOut(.body(body)), promise: promise)
        case .end where requests > 0:
            requests -= 1
            context.write(data, promise: promise)
        default:
            context.write(data, promise: promise)
        }
    }
}

extension ErrorFormat {
    fileprivate func answer(toMalformed fault: HTTPParserError?) -> (HTTPResponse, ByteBuffer) {
        let problem: HTTPProblem =
            switch fault {
            case .headerOverflow: .of(.requestHeaderFieldsTooLarge)
            case .invalidVersion: .of(.httpVersionNotSupported)
            default: HTTPProblem(.badRequest, code: "invalid_request", message: "this is not an HTTP/1.1 request")
            }
        let id = HTTPPipeline.newCorrelationID()
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
