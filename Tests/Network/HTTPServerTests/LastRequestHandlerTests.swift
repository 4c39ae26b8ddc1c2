import HTTPTypes
import NIOCore
import NIOEmbedded
import NIOHTTPTypes
import Testing

@testable import HTTPServer

@Suite(.timeLimit(.minutes(2)))
struct LastRequestHandlerTests {
    private let channel = EmbeddedChannel()
    private let seen = Seen()
    private let head = HTTPRequestPart.head(.init(method: .get, scheme: nil, authority: nil, path: "/"))

    init() throws {
        try channel.pipeline.syncOperations.addHandlers([LastRequestHandler(limit: .seconds(1)), seen])
    }

    @Test("a connection without a request stays open for a while") func silent() throws {
        channel.pipeline.fireUserInboundEventTriggered(ChannelShouldQuiesceEvent())
        #expect(seen.things == [])
        channel.embeddedEventLoop.advanceTime(by: .milliseconds(999))
        #expect(seen.things == [])
        channel.embeddedEventLoop.advanceTime(by: .milliseconds(1))
        #expect(seen.things == ["end"])
    }

    @Test("a request that arrives meanwhile is the last one, and its response announces the close") func late() throws {
        channel.pipeline.fireUserInboundEventTriggered(ChannelShouldQuiesceEvent())
        try channel.writeInbound(head)
        #expect(seen.things == ["request", "end"])
        #expect(try answered() == "close")
        channel.embeddedEventLoop.advanceTime(by: .seconds(2))
        #expect(seen.things == ["request", "end"])
    }

    @Test("a request in progress is the last one, and its response announces the close") func underWay() throws {
        try channel.writeInbound(head)
        channel.pipeline.fireUserInboundEventTriggered(ChannelShouldQuiesceEvent())
        #expect(seen.things == ["request", "end"])
        #expect(try answered() == "close")
    }

    @Test("a connection between two requests also stays open for a while") func between() throws {
        try channel.writeInbound(head)
        #expect(try answered() == nil)
        channel.pipeline.fireUserInboundEventTriggered(ChannelShouldQuiesceEvent())
        #expect(seen.things == ["request"])
        try channel.writeInbound(head)
        #expect(seen.things == ["request", "request", "end"])
        #expect(try answered() == "close")
    }

    /// Responds to a request, and returns the `Connection` field of the response.
    private func answered() throws -> String? {
        try channel.writeOutbound(HTTPResponsePart.head(.init(status: .ok)))
        try channel.writeOutbound(HTTPResponsePart.end(nil))
        guard case .head(let head) = try channel.readOutbound(as: HTTPResponsePart.self) else { return "no head" }
        _ = try channel.readOutbound(as: HTTPResponsePart.self)
        return head.headerFields[.connection]
    }
}

/// Records the requests and the end events that `LastRequestHandler` passes on.
private final class Seen: ChannelInboundHandler {
    typealias InboundIn = HTTPRequestPart
    var things: [String] = []

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        things.append("request")
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        things.append("end")
    }
}
