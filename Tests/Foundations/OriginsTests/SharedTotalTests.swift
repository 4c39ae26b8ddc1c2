import Moments
import Origins
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(1)))
struct SharedTotalTests {
    /// A list of entries whose length is limited by a ``SharedTotal``.
    private struct Entries {
        struct Entry {
            let id: Int
            let levels: OriginLevels
            let isKnown: Bool
            var isAnswered = false
        }

        let total: SharedTotal
        var entries: [Entry] = []
        private var next = 0

        init(_ most: Int) { total = SharedTotal(most: most) }

        /// Adds an entry, and returns its number, or `nil` if the entry is refused.
        mutating func add(_ levels: OriginLevels, isKnown: Bool = false) -> Int? {
            let admission = total.admission(of: levels, isKnown: isKnown) { scope in
                entries.count { Self.isIn(scope, $0) }
            } unanswered: { scope in
                entries.filter { Self.isIn(scope, $0) && !$0.isAnswered }
                    .map { SharedTotal.Unanswered(id: $0.id, levels: $0.levels) }
            }
            switch admission {
            case .admitted: break
            case .replacing(let id): entries.removeAll { $0.id == id }
            case .refused: return nil
            }
            next += 1
            entries.append(Entry(id: next, levels: levels, isKnown: isKnown))
            return next
        }

        func has(_ id: Int?) -> Bool { entries.contains { $0.id == id } }

        private static func isIn(_ scope: SharedTotal.Scope, _ entry: Entry) -> Bool {
            switch scope {
            case .all: true
            case .strangers: !entry.isKnown
            case .level(let level, let name): entry.levels[level] == name
            }
        }
    }

    private func site(_ site: Int, _ network: Int = 0) throws -> OriginLevels {
        let bytes = [
            0x20, 1, 0xD, 0xB8, UInt8(site / 256), UInt8(site % 256), UInt8(network / 256), UInt8(network % 256),
        ]
        return try #require(OriginLevels(address: bytes))
    }

    @Test("128 networks of one site share one quarter, and another site is admitted") func site() throws {
        var entries = Entries(256)
        for network in 0..<128 { _ = entries.add(try site(1, network)) }
        #expect(entries.entries.count == 64)
        #expect(try entries.add(site(2)) != nil)
        // A new entry of a full site is admitted too. The largest network of the site then loses its newest entry.
        for network in 0..<64 { _ = entries.add(try site(3, network)) }
        let own = entries.add(try site(3, 0x100))
        #expect(own != nil && entries.has(own))
        let widest = try site(3).widest
        #expect(entries.entries.count { $0.levels.widest == widest } == 64)
    }

    @Test("when the total is full, the site with the most unanswered entries loses its newest one") func full() throws {
        var entries = Entries(16)
        let honest = entries.add(try site(9))
        for number in 0..<11 { #expect(try entries.add(site(number % 4)) != nil) }
        // Sites without a sign-in fill three quarters of the total, so the site with the most entries loses one.
        let before = entries.entries.map(\.id)
        let newcomer = entries.add(try site(10))
        #expect(newcomer != nil && entries.has(honest))
        let gone = try #require(before.first { !entries.has($0) })
        #expect(gone >= 10)
        #expect(entries.entries.count == 12)
    }

    @Test("an origin with as many entries as the largest one replaces none of them") func tie()
        throws
    {
        var entries = Entries(16)
        for number in 0..<12 { #expect(try entries.add(site(number)) != nil) }
        #expect(try entries.add(site(20)) == nil)
        #expect(try entries.add(site(3)) == nil)
    }

    @Test("a quarter is reserved for known origins, which lose no entries to unknown ones") func known() throws {
        var entries = Entries(16)
        for number in 0..<40 { _ = entries.add(try site(number)) }
        #expect(entries.entries.count == 12)
        var known: [Int] = []
        for number in 100..<104 {
            if let id = entries.add(try site(number), isKnown: true) { known.append(id) }
        }
        #expect(known.count == 4)
        for number in 200..<240 { _ = entries.add(try site(number)) }
        for id in known { #expect(entries.has(id)) }
    }

    @Test("when the total is full, an unknown origin replaces no entry of the largest network if that is known")
    func reserved() throws {
        var entries = Entries(16)
        for number in 0..<12 { #expect(try entries.add(site(number)) != nil) }
        let known = try (0..<4).map { _ in try #require(try entries.add(site(100), isKnown: true)) }
        for number in 200..<240 { #expect(try entries.add(site(number)) == nil) }
        for id in known { #expect(entries.has(id)) }
        #expect(entries.entries.count == 16)
    }

    @Test("answered entries are never replaced") func answered() throws {
        var entries = Entries(8)
        for _ in 0..<2 { for number in 0..<3 { _ = entries.add(try site(number)) } }
        for index in entries.entries.indices { entries.entries[index].isAnswered = true }
        #expect(try entries.add(site(9)) == nil)
    }

    @Test("in a rate, a level gets at most a quarter and leaves the rest for others") func rate() {
        let total = SharedTotal(most: 600)
        #expect(total.strangers == 450 && total.limit(isKnown: true) == 600 && total.mostOfLevel == 150)
        #expect(total.allows(levelWith: 149, left: 200) && !total.allows(levelWith: 150, left: 200))
        #expect(total.allows(levelWith: 0, left: 0) && !total.allows(levelWith: 1, left: 0))
    }

    @Test("a sign-in counts for 90 days, and one site cannot displace the known origins of others") func successes()
        throws
    {
        let (origins, time) = (KnownOrigins(), TestClock())
        let honest = try site(1)
        origins.add(honest, at: time.now)
        for network in 0..<(2 * KnownOrigins.most) {
            time.advance(by: .milliseconds(1))
            origins.add(try site(2, network), at: time.now)
        }
        #expect(origins.contains(honest, at: time.now))
        #expect(try origins.contains(site(2, 2 * KnownOrigins.most - 1), at: time.now))
        #expect(try !origins.contains(site(2, 0), at: time.now))
        time.advance(by: KnownOrigins.life)
        #expect(!origins.contains(honest, at: time.now))
    }
}
