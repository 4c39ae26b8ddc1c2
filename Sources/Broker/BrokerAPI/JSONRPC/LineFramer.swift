public import NIOCore

/// Splits a byte stream into lines of limited length.
///
/// It performs no I/O.
///
/// A line that is too long is reported as soon as it exceeds the limit. No lines are returned after it.
public struct LineFramer: Sendable {
    /// The next part of the stream.
    public enum Frame: Hashable, Sendable {
        /// A line without its line break.
        case line(ByteBuffer)
        /// A line that exceeds the limit, whether or not its end has been received.
        case tooLong
    }

    /// The maximum length of a line that a server accepts, without its line break: 64 KiB.
    public static let requestLimit = 64 * 1024
    /// The maximum length of a line that a client accepts, without its line break: 1 MiB.
    public static let responseLimit = 1024 * 1024

    private let limit: Int
    private var held = ByteBuffer()
    /// The number of bytes at the start of the buffer that are known to contain no line break.
    private var searched = 0
    private var isOver = false

    /// Creates a framer for lines of at most `limit` bytes.
    public init(limit: Int = LineFramer.requestLimit) {
        self.limit = limit
    }

    /// Whether the buffer contains bytes of a line that has not been returned.
    public var isWithinLine: Bool { held.readableBytes > 0 }

    /// Adds the next bytes of the stream.
    public mutating func append(_ bytes: ByteBuffer) {
        if held.readableBytes == 0 {
            held = bytes
            searched = 0
        } else {
            held.writeImmutableBuffer(bytes)
        }
    }

    /// Returns the next line or reports that it is too long.
    ///
    /// Returns `nil` if more bytes are needed, or if an earlier line was too long.
    public mutating func next() -> Frame? {
        guard !isOver, held.readableBytes > 0 else { return nil }
        let unsearched = held.readableBytesView.dropFirst(searched)
        guard let end = unsearched.firstIndex(of: UInt8(ascii: "\n")) else {
            searched = held.readableBytes
            return searched > limit ? stop() : nil
        }
        let length = end - held.readerIndex
        guard length <= limit, let line = held.readSlice(length: length) else { return stop() }
        held.moveReaderIndex(forwardBy: 1)
        searched = 0
        return .line(line)
    }

    private mutating func stop() -> Frame {
        isOver = true
        held = ByteBuffer()
        return .tooLong
    }
}
