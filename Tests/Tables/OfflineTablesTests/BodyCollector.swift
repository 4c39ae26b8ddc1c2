import HTTPTypes
import Hummingbird
import NIOCore
import Synchronization

/// Keeps what a response's body writes.
final class BodyCollector: ResponseBodyWriter {
    private let buffer = Mutex(ByteBuffer())

    /// All that was written.
    var bytes: [UInt8] { buffer.withLock { Array($0.readableBytesView) } }

    func write(_ buffer: ByteBuffer) async throws {
        self.buffer.withLock { _ = $0.writeImmutableBuffer(buffer) }
    }

    consuming func finish(_ trailingHeaders: HTTPFields?) async throws {}
}
