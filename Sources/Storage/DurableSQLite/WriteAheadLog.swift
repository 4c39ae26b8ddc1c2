/// Checks SQLite's write-ahead log (SQLite file format §4) for damage that would lose acknowledged changes.
///
/// SQLite ignores everything from the first frame that does not match its checksum, which is correct for an incomplete
/// transaction at the end. The first frame of a transaction is written only after the previous commit is on disk. If
/// such a frame follows the damage, the changes in the damaged frames had been acknowledged.
enum WriteAheadLog {
    /// The size of a frame header, in bytes.
    static let frameHeaderSize = 24

    enum Damage: Hashable {
        /// The header is damaged, so SQLite would read nothing.
        case header
        /// A frame of an acknowledged change is damaged.
        ///
        /// The values are the zero-based index of the frame and the number of frames.
        case frame(Int, of: Int)
    }

    static func damage(in raw: UnsafeRawBufferPointer) -> Damage? {
        guard raw.count > LogHeader.size else { return nil }
        guard let header = LogHeader(raw) else { return raw.contains { $0 != 0 } ? .header : nil }
        let length = frameHeaderSize + header.pageSize
        let total = (raw.count - LogHeader.size) / length
        var before = header.checksum
        var damaged: Int?
        var isBehindCommit = false
        for place in 0..<total {
            let start = LogHeader.size + place * length
            let stored = LogChecksum(first: raw.word(start + 16), second: raw.word(start + 20))
            let isOurs = LogSalt(first: raw.word(start + 8), second: raw.word(start + 12)) == header.salt
            // The checksum covers the page number, the database size after the commit, and the page, but not the salts.
            let numbers = isOurs ? header.order.sum(before, raw, start..<start + 8) : before
            let page = start + frameHeaderSize..<start + length
            let isSound = isOurs && header.order.sum(numbers, raw, page) == stored
            if !isSound, damaged == nil { damaged = place }
            if let damaged {
                if isSound, isBehindCommit { return .frame(damaged, of: total) }
                isBehindCommit = isOurs && raw.word(start + 4) != 0
            }
            before = stored
        }
        return nil
    }
}
