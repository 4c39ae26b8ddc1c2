import Systemd
import Testing

@Suite(.timeLimit(.minutes(1)))
struct ReadingPaceTests {
    private static let second: UInt64 = 1_000_000_000

    @Test("a peer that reads less than 16 KiB a second in 30 s of waiting is too slow") func slow() {
        var pace = ReadingPace()
        pace.beginWaiting(at: 0, taken: 0)
        #expect(pace.deadline == 30 * Self.second)
        let verdicts = [
            pace.isTooSlow(at: 29 * Self.second, taken: 0),
            pace.isTooSlow(at: 30 * Self.second, taken: 30 * 16 * 1024 - 1),
        ]
        #expect(verdicts == [false, true])
    }

    @Test("a peer that reads 16 KiB a second is never too slow") func steady() {
        var pace = ReadingPace()
        pace.beginWaiting(at: 0, taken: 0)
        for window in 1...100 {
            let isTooSlow = pace.isTooSlow(at: UInt64(window) * 30 * Self.second, taken: window * 30 * 16 * 1024)
            #expect(!isTooSlow)
        }
    }

    @Test("time without waiting bytes does not count, and a pause does not restart the window") func pauses() {
        var pace = ReadingPace()
        var (now, taken) = (UInt64(0), 0)
        // Three times, the peer reads 32 KiB in 10 s while bytes wait, and then an hour passes without waiting bytes.
        var verdicts: [Bool] = []
        for _ in 0..<3 {
            pace.beginWaiting(at: now, taken: taken)
            now += 10 * Self.second
            taken += 32 * 1024
            verdicts.append(pace.isTooSlow(at: now, taken: taken))
            pace.endWaiting(at: now, taken: taken)
            now += 3600 * Self.second
            // Bytes that the peer reads while none are waiting do not count.
            taken += 100_000_000
        }
        #expect(verdicts == [false, false, true])
    }

    @Test("a peer without waiting bytes is not too slow") func idle() {
        var pace = ReadingPace()
        #expect(pace.deadline == nil)
        let isTooSlow = pace.isTooSlow(at: 1000 * Self.second, taken: 0)
        #expect(!isTooSlow)
    }
}
