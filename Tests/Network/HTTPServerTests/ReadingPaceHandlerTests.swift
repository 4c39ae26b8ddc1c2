import NIOCore
import NIOEmbedded
import Synchronization
import Systemd
import Testing

@testable import HTTPServer

@Suite(.timeLimit(.minutes(1)))
struct ReadingPaceHandlerTests {
    /// Records whether a wait has ended.
    private final class Ended: Sendable {
        let value = Mutex(false)
    }

    private let channel = NIOAsyncTestingChannel()
    private let hasEnded = Ended()

    init() async throws {
        let channel = channel
        let address = try SocketAddress(ipAddress: "127.0.0.1", port: 1)
        try await channel.testingEventLoop.executeInContext {
            channel.connect(to: address, promise: nil)
            try channel.pipeline.syncOperations.addHandler(ReadingPaceHandler(pace: ReadingPace(), close: {}))
        }
    }

    @Test("a client that reads in time stays connected, and one that reads nothing is disconnected") func pace()
        throws
    {
        let isTooSlow = Mutex(false)
        let channel = EmbeddedChannel()
        let pace = ReadingPace(window: 50_000_000, least: 1)
        let handler = ReadingPaceHandler(pace: pace) { isTooSlow.withLock { $0 = true } }
        try channel.pipeline.syncOperations.addHandler(handler)
        try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
        func wait(_ time: TimeAmount, taking bytes: Int) throws {
            channel.isWritable = false
            channel.pipeline.fireChannelWritabilityChanged()
            // An embedded channel takes everything at once, like a client that reads these bytes.
            try channel.writeOutbound(IOData.byteBuffer(ByteBuffer(repeating: 0, count: bytes)))
            channel.embeddedEventLoop.advanceTime(by: time)
            channel.isWritable = true
            channel.pipeline.fireChannelWritabilityChanged()
        }
        for _ in 0..<20 { try wait(.milliseconds(30), taking: 1) }
        #expect(channel.isActive && !isTooSlow.withLock { $0 })
        try wait(.milliseconds(100), taking: 0)
        #expect(!channel.isActive && isTooSlow.withLock { $0 })
    }

    /// Starts a task that waits until the channel is writable, and runs the event loop repeatedly.
    private func begin() async throws -> Task<Void, any Error> {
        let (channel, hasEnded) = (channel, hasEnded)
        let task = Task {
            try await ReadingPaceHandler.untilRoom(channel)
            hasEnded.value.withLock { $0 = true }
        }
        for _ in 0..<1000 {
            await Task.yield()
            await channel.testingEventLoop.run()
        }
        return task
    }

    @Test("while a client does not read its responses, no further one is produced") func room() async throws {
        channel.isWritable = false
        let task = try await begin()
        #expect(!hasEnded.value.withLock { $0 })
        let channel = channel
        try await channel.testingEventLoop.executeInContext {
            channel.isWritable = true
            channel.pipeline.fireChannelWritabilityChanged()
        }
        try await task.value
    }

    @Test("the end of a connection ends the wait for its client") func end() async throws {
        channel.isWritable = false
        let task = try await begin()
        #expect(!hasEnded.value.withLock { $0 })
        try await channel.close()
        await channel.testingEventLoop.run()
        try await task.value
    }
}
