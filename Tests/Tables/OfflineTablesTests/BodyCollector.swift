import HTTPTypes
import Hummingbird
import NIOCore
import Synchronization

/// Collects the bytes of a response's body.
final class BodyCollector: ResponseBodyWriter {
    private let buffer = Mutex(ByteBuffer())

    /// All bytes written so far.
    var bytes: [UInt8] { buffer.withLock { Array($0.readableBytesView) } }

    func write(_ buffer: ByteBuffer) async throws {
        self.buffer.withLock { _ = $0.writeImmutableBuffer(buffer) }
    }

    consuming func finish(_ trailingHeaders: HTTPFields?) async throws {}
}
