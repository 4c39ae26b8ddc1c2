/// The beginning of a write-ahead log (SQLite file format §4.1).
struct LogHeader {
    /// Bytes of the header.
    static let size = 32

    /// The order in which the words of each frame are added.
    let order: LogOrder
    /// Bytes of a page.
    let pageSize: Int
    /// Tells the frames of this use of the file from those of an earlier one.
    let salt: LogSalt
    /// The sums that the first frame's go on from.
    let checksum: LogChecksum

    /// Reads a header; nil unless it matches its checksum.
    init?(_ raw: UnsafeRawBufferPointer) {
        guard raw.count >= Self.size, let order = LogOrder(rawValue: raw.word(0)) else { return nil }
        self.order = order
        pageSize = Int(raw.word(8))
        salt = LogSalt(first: raw.word(16), second: raw.word(20))
        checksum = order.sum(LogChecksum(first: 0, second: 0), raw, 0..<24)
        guard checksum == LogChecksum(first: raw.word(24), second: raw.word(28)) else { return nil }
    }
}

/// The random numbers of one use of a log's file.
struct LogSalt: Hashable {
    let first: UInt32
    let second: UInt32
}

/// Two sums, carried on from frame to frame (SQLite file format §4.2).
struct LogChecksum: Hashable {
    var first: UInt32
    var second: UInt32
}

/// The order of bytes in which words are added to a checksum; the words themselves are big-endian in the file.
enum LogOrder: UInt32 {
    case little = 0x377f_0682
    case big = 0x377f_0683

    /// Adds the words at `places`, a multiple of eight bytes.
    func sum(_ before: LogChecksum, _ raw: UnsafeRawBufferPointer, _ places: Range<Int>) -> LogChecksum {
        var sum = before
        for place in stride(from: places.lowerBound, to: places.upperBound, by: 8) {
            sum.first = sum.first &+ summand(raw.word(place)) &+ sum.second
            sum.second = sum.second &+ summand(raw.word(place + 4)) &+ sum.first
        }
        return sum
    }

    private func summand(_ word: UInt32) -> UInt32 {
        switch self {
        case .big: word
        case .little: word.byteSwapped
        }
    }
}

extension UnsafeRawBufferPointer {
    /// The big-endian word at `place`.
    func word(_ place: Int) -> UInt32 { UInt32(bigEndian: loadUnaligned(fromByteOffset: place, as: UInt32.self)) }
}
