public import NIOCore

/// Splits a byte stream into lines of limited length, without performing I/O.
///
/// A line is reported as too long as soon as it exceeds the limit, and no lines are returned after it.
public struct LineFramer: Sendable {
    /// The next line of the stream, or a report that the line is too long.
    public enum Frame: Hashable, Sendable {
        /// A line without its line break.
        case line(ByteBuffer)
        case tooLong
    }

    /// The maximum length of a line that a server accepts, which is 64 KiB without the line break.
    public static let requestLimit = 64 * 1024
    /// The maximum length of a line that a client accepts, which is 1 MiB without the line break.
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

    /// Whether the buffer contains bytes that have not been returned as part of a line.
    public var isWithinLine: Bool { held.readableBytes > 0 }

    /// Adds the next bytes of the stream to the buffer.
    public mutating func append(_ bytes: ByteBuffer) {
        if held.readableBytes == 0 {
            held = bytes
            searched = 0
        } else {
            held.writeImmutableBuffer(bytes)
        }
    }

    /// Marks the end of the stream, so that any bytes after the last line break are returned as a line.
    public mutating func finish() {
        if !isOver, let last = held.readableBytesView.last, last != UInt8(ascii: "\n") {
            held.writeInteger(UInt8(ascii: "\n"))
        }
    }

    /// Returns the next frame, or `nil` if more bytes are needed or an earlier line was too long.
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
