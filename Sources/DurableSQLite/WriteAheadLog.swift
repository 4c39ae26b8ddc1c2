import Foundation

/// SQLite's write-ahead log as bytes (SQLite file format §4): what of it is sound, and whether the rest matters.
///
/// SQLite itself reads up to the first frame that does not match its checksum, and passes over the rest without a word:
/// right where the last transaction was torn before anybody was told of it, and the loss of everything behind where a
/// frame was damaged later. Each frame's checksum goes on from the one stored before it, so frame after frame can be
/// proven by itself, and what stands behind the damage tells the two cases apart.
struct WriteAheadLog {
    /// Bytes of the log's header.
    static let headerSize = 32
    /// Bytes of a frame's header.
    static let frameHeaderSize = 24

    /// What is to be done about a log.
    enum Verdict: Hashable {
        /// What SQLite passes over was acknowledged to nobody.
        case sound
        /// Each damaged page is written again behind the damage: this is the same log without the damaged frames.
        case mendable(Repair)
        /// What was acknowledged is lost, or may be.
        case lost(Damage)
    }

    /// What is wrong with a log.
    struct Damage: Hashable {
        /// Whether the log's header is damaged.
        var header: Bool
        /// The frames, counted from 0, that do not match their checksum and were not torn by an interrupted write.
        var frames: [Int]
        /// How many frames there are.
        var total: Int
        /// How many acknowledged changes stand behind the beginning of the damage: at least.
        var changes: Int
        /// Whether what looks like damage may be what a transaction left that failed, so that nobody knows which changes
        /// behind it were acknowledged.
        var isDoubtful: Bool
    }

    /// A log without its damaged frames.
    struct Repair: Hashable {
        let damage: Damage
        /// The log's header.
        let header: [UInt8]
        /// The frames that stay, in order.
        let frames: [Kept]
    }

    /// A frame that stays.
    struct Kept: Hashable {
        /// Where its page stands in the damaged log, counted in frames.
        let place: Int
        /// The header that it has then.
        let header: [UInt8]
    }

    private let bytes: Data
    private let pageSize: Int
    /// Pages that a frame may name.
    private let greatestPage: UInt32
    private let header: LogHeader
    private let hasHeader: Bool
    private var frames: [LogFrame]

    /// Looks at a log; nil if there is nothing in it, or it is of a kind that SQLite judges by itself.
    ///
    /// - Parameters:
    ///   - bytes: All of it.
    ///   - pageSize: Bytes of a page of its database.
    ///   - pages: How many pages the database file has.
    init?(_ bytes: Data, pageSize: Int, pages: Int) {
        let count = (bytes.count - Self.headerSize) / (Self.frameHeaderSize + pageSize)
        guard bytes.count > Self.headerSize, count > 0 else { return nil }
        self.bytes = bytes
        self.pageSize = pageSize
        // A page that only became free is not written, so there may be some more than those in the log.
        greatestPage = UInt32(clamping: 2 * (pages + count) + 1024)
        let found = bytes.withUnsafeBytes { raw -> (LogHeader, Bool)? in
            if let header = LogHeader(sound: raw) {
                guard header.version == LogHeader.version, header.pageSize == pageSize else { return nil }
                return (header, true)
            }
            return LogHeader(guessedFrom: raw, pageSize: pageSize, frames: count).map { ($0, false) }
        }
        guard let found else { return nil }
        (header, hasHeader) = found
        frames = []
        bytes.withUnsafeBytes { raw in frames = Self.read(raw, header, pageSize, count, greatestPage) }
    }

    /// What is to be done about it.
    var verdict: Verdict {
        guard let first = frames.firstIndex(where: \.needsRepair) ?? (hasHeader ? nil : frames.count) else {
            return .sound
        }
        let damaged = (first..<frames.count).filter { frames[$0].state != .foreign && frames[$0].needsRepair }
        let commits = (first..<frames.count).filter { frames[$0].isCommit }
        let end = frames.lastIndex { $0.state != .foreign } ?? 0
        let last = frames.lastIndex { $0.state == .sound && $0.isCommit }
        let untorn = damaged.first(where: isUntorn) ?? frames.count
        let strange = damaged.first { frames[$0].state == .strange } ?? frames.count
        // A frame is written behind a commit only after that was on the disk; and what no interrupted write leaves was
        // whole once.
        let acknowledged = commits.filter { commit in
            commit < end || untorn <= commit || (strange < commit && frames[commit].state == .sound)
        }
        // Without the header SQLite reads nothing at all, however sound the frames are.
        let changes = frames[(hasHeader ? first : 0)...].count { $0.isCommit }
        guard !acknowledged.isEmpty || (!hasHeader && changes > 0) else { return .sound }
        let damage = Damage(
            header: !hasHeader,
            frames: damaged.filter { $0 <= max(last ?? 0, acknowledged.last ?? 0) },
            total: end + 1,
            changes: changes,
            isDoubtful: (first...max(first, end)).contains(where: mayBeLeftOver)
        )
        guard !damage.isDoubtful, let last, acknowledged.allSatisfy({ $0 <= last }), let kept = kept(upTo: last) else {
            return .lost(damage)
        }
        return .mendable(repair(damage, kept))
    }

    /// Whether a frame may be the first that is left of a transaction that failed or was rolled back, where a shorter one
    /// was written over its beginning: it has the salts of this use of the log, follows a commit and does not go on from it.
    private func mayBeLeftOver(_ place: Int) -> Bool {
        guard place > 0, place < frames.count, frames[place].needsRepair else { return false }
        return frames[place - 1].state == .sound && frames[place - 1].isCommit
    }

    /// Whether a frame's page is damaged and not torn: each block of the file system that it lies in was written, since
    /// its own header or the next one's lies in it, too, and is of this use of the file.
    private func isUntorn(_ place: Int) -> Bool {
        guard frames[place].state == .damaged, place + 1 < frames.count, frames[place + 1].state != .foreign else {
            return false
        }
        let starts = [place, place + 1].map { Self.offset($0, pageSize) }
        let areWhole = starts.allSatisfy { $0 % LogHeader.block + Self.frameHeaderSize <= LogHeader.block }
        return areWhole && starts[1] / LogHeader.block - starts[0] / LogHeader.block <= 1
    }

    /// The frames up to the commit `last` without those that are not sound, and the first commit that stands for a whole
    /// database again; nil if a page would be missing.
    private func kept(upTo last: Int) -> (frames: [Int], whole: Int)? {
        var newest: [UInt32: Int] = [:]
        var frames: [Int] = []
        var whole = 0
        for place in (0...last).reversed() {
            let frame = self.frames[place]
            if frame.state == .sound {
                newest[frame.page] = place
                frames.append(place)
            } else {
                guard frame.state == .damaged, let again = newest[frame.page],
                    let other = newest[frame.otherPage ?? frame.page]
                else { return nil }
                whole = max(whole, again, other)
            }
        }
        return (frames.reversed(), whole)
    }

    private func repair(_ damage: Damage, _ kept: (frames: [Int], whole: Int)) -> Repair {
        let first = frames.firstIndex(where: \.needsRepair) ?? frames.count
        var sum = header.checksum
        let headers = bytes.withUnsafeBytes { raw in
            kept.frames.map { place -> Kept in
                let frame = frames[place]
                // In between, the database is not whole: no commit may say so.
                let commit = (first..<max(first, kept.whole)).contains(place) ? 0 : frame.commit
                let page = Self.page(raw, place, pageSize)
                sum = header.order.sum(sum, frame.page, commit, page)
                let words = [frame.page, commit, header.salt.first, header.salt.second, sum.first, sum.second]
                return Kept(place: place, header: words.flatMap(\.bigEndianBytes))
            }
        }
        return Repair(damage: damage, header: header.bytes, frames: headers)
    }

    /// The page in the frame at `place`.
    func page(_ place: Int) -> Data {
        let start = bytes.startIndex + Self.offset(place, pageSize) + Self.frameHeaderSize
        return bytes[start..<start + pageSize]
    }

    static func offset(_ place: Int, _ pageSize: Int) -> Int { headerSize + place * (frameHeaderSize + pageSize) }

    static func page(_ raw: UnsafeRawBufferPointer, _ place: Int, _ pageSize: Int) -> UnsafeRawBufferPointer {
        let start = offset(place, pageSize) + frameHeaderSize
        return UnsafeRawBufferPointer(rebasing: raw[start..<start + pageSize])
    }

    private static func read(
        _ raw: UnsafeRawBufferPointer,
        _ header: LogHeader,
        _ pageSize: Int,
        _ count: Int,
        _ greatestPage: UInt32
    ) -> [LogFrame] {
        let salts = (0..<count).map { place -> LogSalt in
            let start = offset(place, pageSize)
            return LogSalt(raw.word(start + 8), raw.word(start + 12))
        }
        let isPossible = { (page: UInt32, commit: UInt32) in
            (1...greatestPage).contains(page) && commit <= greatestPage
        }
        var before = header.checksum
        var isAfterOurs = true
        return (0..<count).map { place in
            let start = offset(place, pageSize)
            let stored = LogChecksum(raw.word(start + 16), raw.word(start + 20))
            var frame = LogFrame(page: raw.word(start), commit: raw.word(start + 4), state: .foreign)
            let page = page(raw, place, pageSize)
            let isOurs = salts[place] == header.salt
            if isOurs, header.order.sum(before, frame.page, frame.commit, page) == stored {
                frame.state = .sound
            } else if isOurs || isAfterOurs {
                let named = header.order.words(before, page, stored)
                let leaves = isPossible(named.page, named.commit)
                if isOurs, isPossible(frame.page, frame.commit) {
                    frame.state = .damaged
                    // Either the page is damaged, or its number is, and then the page leaves no choice of it.
                    if leaves { frame.otherPage = named.page }
                } else if leaves {
                    frame = LogFrame(page: named.page, commit: named.commit, state: .sound, isNamedAnew: true)
                } else if isOurs || header.isStrange(place, salts, raw) {
                    frame.state = .strange
                }
            }
            before = stored
            isAfterOurs = frame.state != .foreign
            return frame
        }
    }
}

/// One frame: a page as a transaction left it.
struct LogFrame: Hashable {
    /// What a frame is.
    enum State: Hashable {
        /// It matches the checksum stored before it, or what its own checksums leave no doubt about.
        case sound
        /// Its page does not match; which page it is stands in its header.
        case damaged
        /// Not even which page it is can be told, and no interrupted write leaves this.
        case strange
        /// Nothing, or left over from an earlier use of the file.
        case foreign
    }

    var page: UInt32
    /// The page it is if not ``page``, where a damaged frame leaves a doubt.
    var otherPage: UInt32?
    /// How many pages the database has after the transaction whose last frame this is; else 0.
    var commit: UInt32
    var state: State
    /// Whether its header is damaged, and known nevertheless.
    var isNamedAnew = false

    /// Whether SQLite would not read on here.
    var needsRepair: Bool { state != .sound || isNamedAnew }

    var isCommit: Bool { commit != 0 && (state == .sound || state == .damaged) }
}
