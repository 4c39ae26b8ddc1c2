import Logging
import Moments
import Systemd
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(1)))
struct RefusalLogTests {
    private let lines = LogLines()
    private let clock = TestClock()

    @Test("one origin has 20 lines a minute, then one that says so, and after the minute one that says how many")
    func budget() {
        let log = RefusalLog(logger: lines.logger, clock: clock.clock)
        for _ in 0..<1000 { log.refused("call refused", of: "uid 7", metadata: ["uid": "7"]) }
        log.refused("call refused", of: "uid 8", metadata: ["uid": "8"])
        #expect(lines.all.count(where: { $0 == "info: call refused uid=7" }) == 20)
        #expect(
            lines.all.suffix(2) == [
                "info: further refusals of this minute are left out origin=uid 7", "info: call refused uid=8",
            ]
        )
        clock.advance(by: .seconds(60))
        log.refused("call refused", of: "uid 8", metadata: ["uid": "8"])
        #expect(
            lines.all.suffix(2) == [
                "info: refusals were left out count=980 origin=uid 7", "info: call refused uid=8",
            ]
        )
        #expect(lines.all.count == 24)
    }

    @Test("whoever comes from ever new origins shares one budget from the 65th on") func origins() {
        let log = RefusalLog(logger: lines.logger, clock: clock.clock)
        for origin in 0..<5000 { log.refused("call refused", of: "\(origin)", metadata: [:]) }
        #expect(lines.all.count == RefusalLog.origins + RefusalLog.linesPerOrigin + 1)
    }
}
