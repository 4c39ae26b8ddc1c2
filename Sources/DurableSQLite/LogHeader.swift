import Foundation

/// The random numbers by which frames of one use of the log are told from those of another.
struct LogSalt: Hashable {
    let first: UInt32
    let second: UInt32

    init(_ first: UInt32, _ second: UInt32) {
        self.first = first
        self.second = second
    }

    var isZero: Bool { first == 0 && second == 0 }
}

/// Two sums, carried on from frame to frame (SQLite file format §4.2).
struct LogChecksum: Hashable {
    var first: UInt32
    var second: UInt32

    init(_ first: UInt32, _ second: UInt32) {
        self.first = first
        self.second = second
    }

    mutating func add(_ one: UInt32, _ two: UInt32) {
        first = first &+ one &+ second
        second = second &+ two &+ first
    }

    /// Undoes ``add(_:_:)``.
    mutating func remove(_ one: UInt32, _ two: UInt32) {
        second = second &- two &- first
        first = first &- one &- second
    }
}

/// In which order of bytes the words are added.
enum LogOrder: UInt32, CaseIterable {
    case little = 0x377f_0682
    case big = 0x377f_0683

    /// The checksum of a frame that follows one with `before`.
    func sum(_ before: LogChecksum, _ page: UInt32, _ commit: UInt32, _ bytes: UnsafeRawBufferPointer) -> LogChecksum {
        var sum = before
        // The words of a header are big-endian in the file, whatever order they are added in.
        sum.add(summand(page), summand(commit))
        for place in stride(from: 0, to: bytes.count, by: 8) {
            sum.add(word(bytes, place), word(bytes, place + 4))
        }
        return sum
    }

    /// The two words of a frame's header that its page and the checksums around it leave no choice about.
    func words(
        _ before: LogChecksum,
        _ bytes: UnsafeRawBufferPointer,
        _ stored: LogChecksum
    ) -> (page: UInt32, commit: UInt32) {
        var sum = stored
        for place in stride(from: bytes.count - 8, through: 0, by: -8) {
            sum.remove(word(bytes, place), word(bytes, place + 4))
        }
        let page = sum.first &- before.first &- before.second
        let commit = sum.second &- before.second &- sum.first
        return (summand(page), summand(commit))
    }

    /// A word of the file as it is added, and back.
    func summand(_ word: UInt32) -> UInt32 { self == .big ? word : word.byteSwapped }

    private func word(_ bytes: UnsafeRawBufferPointer, _ place: Int) -> UInt32 {
        let word = bytes.loadUnaligned(fromByteOffset: place, as: UInt32.self)
        return self == .big ? UInt32(bigEndian: word) : UInt32(littleEndian: word)
    }
}

/// The beginning of a log.
struct LogHeader {
    static let version: UInt32 = 3_007_000
    /// How often a file was used before, where that is not known.
    private static let usesAtMost: UInt32 = 1 << 16
    /// Bytes that a file system writes or does not write.
    static let block = 4096

    let order: LogOrder
    let version: UInt32
    let pageSize: Int
    let salt: LogSalt
    /// How often the file was used before; salts count upwards from use to use.
    private let uses: UInt32

    /// The header, if it matches its checksum.
    init?(sound raw: UnsafeRawBufferPointer) {
        guard let order = LogOrder(rawValue: raw.word(0)) else { return nil }
        self.order = order
        version = raw.word(4)
        pageSize = Int(raw.word(8))
        uses = raw.word(12)
        salt = LogSalt(raw.word(16), raw.word(20))
        guard checksum == LogChecksum(raw.word(24), raw.word(28)) else { return nil }
    }

    /// The header that the frames show, where the one that is there is damaged; nil if they show nothing: no frame goes on
    /// from the one before, and the first goes on from no header.
    ///
    /// - Parameters:
    ///   - raw: The log.
    ///   - pageSize: Bytes of a page.
    ///   - frames: How many frames there are.
    init?(guessedFrom raw: UnsafeRawBufferPointer, pageSize: Int, frames: Int) {
        for order in LogOrder.allCases {
            if let header = Self(before: 0, raw, order, pageSize) {
                self = header
                return
            }
        }
        for place in 1..<max(1, frames) {
            let (start, last) = (WriteAheadLog.offset(place, pageSize), WriteAheadLog.offset(place - 1, pageSize))
            let salt = LogSalt(raw.word(start + 8), raw.word(start + 12))
            guard !salt.isZero, salt == LogSalt(raw.word(last + 8), raw.word(last + 12)) else { continue }
            let before = LogChecksum(raw.word(last + 16), raw.word(last + 20))
            let page = WriteAheadLog.page(raw, place, pageSize)
            for order in LogOrder.allCases
            where order.sum(before, raw.word(start), raw.word(start + 4), page)
                == LogChecksum(raw.word(start + 16), raw.word(start + 20))
            {
                self.init(order: order, pageSize: pageSize, uses: Self.usesAtMost, salt: salt)
                return
            }
        }
        return nil
    }

    /// The header whose checksum the first frame goes on from: the page's size and the salts are known, and the number of
    /// uses is what then remains.
    private init?(before place: Int, _ raw: UnsafeRawBufferPointer, _ order: LogOrder, _ pageSize: Int) {
        let start = WriteAheadLog.offset(place, pageSize)
        let salt = LogSalt(raw.word(start + 8), raw.word(start + 12))
        guard !salt.isZero else { return nil }
        var sum = LogChecksum(raw.word(start + 16), raw.word(start + 20))
        let page = WriteAheadLog.page(raw, place, pageSize)
        for place in stride(from: page.count - 8, through: 0, by: -8) {
            sum.remove(order.summand(page.word(place)), order.summand(page.word(place + 4)))
        }
        sum.remove(order.summand(raw.word(start)), order.summand(raw.word(start + 4)))
        sum.remove(order.summand(salt.first), order.summand(salt.second))
        var known = LogChecksum(0, 0)
        known.add(order.summand(order.rawValue), order.summand(Self.version))
        let first = known.first &+ order.summand(UInt32(pageSize)) &+ known.second
        guard sum.first == first else { return nil }
        self.init(
            order: order,
            pageSize: pageSize,
            uses: order.summand(sum.second &- known.second &- sum.first),
            salt: salt
        )
    }

    private init(order: LogOrder, pageSize: Int, uses: UInt32, salt: LogSalt) {
        self.order = order
        version = Self.version
        self.pageSize = pageSize
        self.uses = uses
        self.salt = salt
    }

    private var words: [UInt32] { [order.rawValue, version, UInt32(pageSize), uses, salt.first, salt.second] }

    /// What the first frame's checksum goes on from.
    var checksum: LogChecksum {
        var sum = LogChecksum(0, 0)
        let words = words.map(order.summand)
        for place in stride(from: 0, to: words.count, by: 2) { sum.add(words[place], words[place + 1]) }
        return sum
    }

    /// As it stands in the file.
    var bytes: [UInt8] {
        let sum = checksum
        return (words + [sum.first, sum.second]).flatMap(\.bigEndianBytes)
    }

    /// Whether the frame at `place` is neither of this use of the file, nor was never written, nor of an earlier use.
    ///
    /// - Parameters:
    ///   - place: Counted in frames.
    ///   - salts: The salts of all frames.
    ///   - raw: The log.
    /// - Returns: True for what no interrupted write leaves.
    func isStrange(_ place: Int, _ salts: [LogSalt], _ raw: UnsafeRawBufferPointer) -> Bool {
        let salt = salts[place]
        guard salt != self.salt else { return false }
        if salt.isZero {
            // What was never written is nothing up to the end of the file system's block.
            let start = WriteAheadLog.offset(place, pageSize)
            return raw[start..<min(raw.count, (start / Self.block + 1) * Self.block)].contains { $0 != 0 }
        }
        let age = self.salt.first &- salt.first
        if age > 0, age <= uses { return false }
        // Two frames beside each other are not damaged alike.
        return !(place > 0 && salts[place - 1] == salt) && !(place + 1 < salts.count && salts[place + 1] == salt)
    }
}

extension UnsafeRawBufferPointer {
    /// The big-endian word at `place`.
    func word(_ place: Int) -> UInt32 { UInt32(bigEndian: loadUnaligned(fromByteOffset: place, as: UInt32.self)) }
}

extension UInt32 {
    /// As it stands in a file of SQLite's.
    var bigEndianBytes: [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: self >> (24 - 8 * $0)) } }
}
