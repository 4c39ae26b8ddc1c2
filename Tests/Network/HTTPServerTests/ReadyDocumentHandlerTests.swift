import NIOCore
import NIOEmbedded
import NIOHTTP1
import Testing

@testable import HTTPServer

@Suite(.timeLimit(.minutes(2)))
struct ReadyDocumentHandlerTests {
    private let channel = EmbeddedChannel()
    private let get = HTTPRequestHead(version: .http1_1, method: .GET, uri: "/document")

    init() throws {
        let head = HTTPResponseHead(version: .http1_1, status: .ok)
        let handler = ReadyDocumentHandler { request in
            guard request.uri == "/document" else { return nil }
            return ReadyAnswers.Answer(head: head, body: ByteBuffer(string: "ready"))
        }
        try channel.pipeline.syncOperations.addHandler(handler)
    }

    /// Whether the handler serves a request itself instead of passing it on.
    private func isAnswered(_ head: HTTPRequestHead) throws -> Bool {
        try channel.writeInbound(HTTPServerRequestPart.head(head))
        try channel.writeInbound(HTTPServerRequestPart.end(nil))
        let passed = try channel.readInbound(as: HTTPServerRequestPart.self)
        if passed != nil { _ = try channel.readInbound(as: HTTPServerRequestPart.self) }
        let answered = try channel.readOutbound(as: HTTPServerResponsePart.self) != nil
        try forgetAnswers()
        #expect((passed == nil) == answered)
        return answered
    }

    /// Discards up to two written responses.
    private func forgetAnswers() throws {
        for _ in 0..<6 { _ = try channel.readOutbound(as: HTTPServerResponsePart.self) }
    }

    @Test("a request that arrives while another is in progress is passed on, so that responses keep their order")
    func order() throws {
        #expect(try isAnswered(get))
        #expect(try !isAnswered(HTTPRequestHead(version: .http1_1, method: .GET, uri: "/other")))
        #expect(try !isAnswered(get))
        for _ in 0..<2 {
            try channel.writeOutbound(HTTPServerResponsePart.head(.init(version: .http1_1, status: .ok)))
            try channel.writeOutbound(HTTPServerResponsePart.end(nil))
        }
        try forgetAnswers()
        #expect(try isAnswered(get))
    }

    @Test("a client that does not read its responses gets no further ones") func unread() throws {
        channel.isWritable = false
        channel.pipeline.fireChannelWritabilityChanged()
        #expect(try !isAnswered(get))
    }

    @Test("after shutdown has begun, the response says that the connection closes") func ending() throws {
        channel.pipeline.fireUserInboundEventTriggered(ChannelShouldQuiesceEvent())
        #expect(try !isAnswered(get))
    }

    @Test("the next handlers are told of a response, so that the client gets its time for the next request") func told()
        throws
    {
        final class Told: ChannelInboundHandler {
            typealias InboundIn = HTTPServerRequestPart
            var answers = 0

            func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
                if event is ReadyDocumentHandler.Answered { answers += 1 }
            }
        }
        let told = Told()
        try channel.pipeline.syncOperations.addHandler(told)
        #expect(try isAnswered(get))
        #expect(told.answers == 1)
    }
}
