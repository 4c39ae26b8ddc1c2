/// The header of a write-ahead log (SQLite file format §4.1).
struct LogHeader {
    /// The size of the header, in bytes.
    static let size = 32

    let order: LogOrder
    /// The size of a page, in bytes.
    let pageSize: Int
    /// The random numbers that distinguish current frames from frames that remain from an earlier use of the file.
    let salt: LogSalt
    let checksum: LogChecksum

    /// Reads a header, or returns `nil` if it is too short, has an unknown format or does not match its checksum.
    init?(_ raw: UnsafeRawBufferPointer) {
        guard raw.count >= Self.size, let order = LogOrder(rawValue: raw.word(0)) else { return nil }
        self.order = order
        pageSize = Int(raw.word(8))
        salt = LogSalt(first: raw.word(16), second: raw.word(20))
        checksum = order.sum(LogChecksum(first: 0, second: 0), raw, 0..<24)
        guard checksum == LogChecksum(first: raw.word(24), second: raw.word(28)) else { return nil }
    }
}

struct LogSalt: Hashable {
    let first: UInt32
    let second: UInt32
}

/// A checksum that consists of two sums and continues from frame to frame (SQLite file format §4.2).
struct LogChecksum: Hashable {
    var first: UInt32
    var second: UInt32
}

/// The byte order in which words are added to a checksum, which is itself stored in big-endian order.
enum LogOrder: UInt32 {
    case little = 0x377f_0682
    case big = 0x377f_0683

    /// Adds the words in the byte range `places`, whose size is a multiple of 8, to the checksum `before`.
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
    func word(_ place: Int) -> UInt32 { UInt32(bigEndian: loadUnaligned(fromByteOffset: place, as: UInt32.self)) }
}
