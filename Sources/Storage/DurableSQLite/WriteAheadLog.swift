/// SQLite's write-ahead log as bytes (SQLite file format §4), judged for damage that costs acknowledged changes.
///
/// SQLite reads up to the first frame that does not match its checksum and passes over the rest without a word. That is
/// right for the tail of a transaction that was torn before anybody was told of it, and for frames that an earlier use of
/// the file or a failed transaction left. It is the loss of everything behind where a frame was damaged later.
///
/// Each frame's checksum goes on from the one stored in the frame before, so a frame can be proven by itself. The first
/// frame of a transaction is written only when the commit before it is on the disk: where such a frame stands behind
/// damage, what was damaged had been acknowledged.
enum WriteAheadLog {
    /// Bytes of a frame's header.
    static let frameHeaderSize = 24

    /// Damage that acknowledged changes are lost by.
    enum Damage: Hashable {
        /// The header: SQLite would read nothing at all.
        case header
        /// A frame, counted from 0, that changes stand behind.
        case frame(Int, of: Int)
    }

    /// Finds the damage that acknowledged changes are lost by; nil where SQLite passes over nothing of worth.
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
            // Page number and size after the commit, then the page; the salts are left out.
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
