public import NIOCore

/// Cuts a stream of bytes into lines of bounded length; a value without I/O.
///
/// A line that is too long is reported as soon as it is, before anything of it is decoded; nothing follows it.
public struct LineFramer: Sendable {
    /// What the stream holds next.
    public enum Frame: Hashable, Sendable {
        /// A line, without its end.
        case line(ByteBuffer)
        /// More bytes than a line may have, without an end.
        case tooLong
    }

    /// The most bytes in a line that a server takes, without its end: 64 KiB.
    public static let requestLimit = 64 * 1024
    /// The most bytes in a line that a client takes, without its end: 1 MiB.
    public static let responseLimit = 1024 * 1024

    private let limit: Int
    private var held = ByteBuffer()
    /// How many of the held bytes are known not to end a line.
    private var searched = 0
    private var isOver = false

    /// A framer for lines of at most `limit` bytes.
    public init(limit: Int = LineFramer.requestLimit) {
        self.limit = limit
    }

    /// Whether a line has begun and not ended.
    public var isWithinLine: Bool { held.readableBytes > 0 }

    /// Takes more bytes of the stream.
    public mutating func append(_ bytes: ByteBuffer) {
        if held.readableBytes == 0 {
            held = bytes
            searched = 0
        } else {
            held.writeImmutableBuffer(bytes)
        }
    }

    /// The next line, or nil until more bytes come.
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
