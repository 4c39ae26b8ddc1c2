import NIOCore
import NIOEmbedded
import Testing

@testable import OutgoingHTTP

@Suite(.timeLimit(.minutes(1)))
struct FlushTogetherTests {
    @Test("data written in one go is sent at once and in order") func together() throws {
        let flushes = Flushes()
        let channel = EmbeddedChannel(handlers: [flushes, FlushTogether()])
        for part in ["head", "body"] {
            channel.write(IOData.byteBuffer(ByteBuffer(string: part)), promise: nil)
            channel.flush()
        }
        #expect(flushes.count == 0)
        channel.embeddedEventLoop.run()
        #expect(flushes.count == 1)
        #expect(try channel.readOutbound(as: IOData.self) == .byteBuffer(ByteBuffer(string: "head")))
        #expect(try channel.readOutbound(as: IOData.self) == .byteBuffer(ByteBuffer(string: "body")))
        channel.flush()
        channel.embeddedEventLoop.run()
        #expect(flushes.count == 2)
        _ = try channel.finish()
    }

    @Test("data written before a connection closes is sent") func closing() throws {
        let flushes = Flushes()
        let channel = EmbeddedChannel(handlers: [flushes, FlushTogether()])
        channel.write(IOData.byteBuffer(ByteBuffer(string: "last")), promise: nil)
        channel.flush()
        channel.close(promise: nil)
        #expect(flushes.count == 1)
        #expect(try channel.readOutbound(as: IOData.self) == .byteBuffer(ByteBuffer(string: "last")))
        channel.embeddedEventLoop.run()
        #expect(flushes.count == 1)
    }
}

/// Counts the flushes that reach the connection.
private final class Flushes: ChannelOutboundHandler {
    typealias OutboundIn = IOData

    private(set) var count = 0

    func flush(context: ChannelHandlerContext) {
        count += 1
        context.flush()
    }
}
