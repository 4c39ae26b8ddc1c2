import Logging
import Moments
import Systemd
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(1)))
struct RefusalLogTests {
    private let lines = LogLines()
    private let clock = TestClock()

    @Test(
        "an origin has 20 lines a minute, then one that says more are left out, and after the minute one with their number"
    )
    func budget() {
        let log = RefusalLog(logger: lines.logger, clock: clock.clock)
        for _ in 0..<1000 { log.refused("call refused", of: "uid 7", metadata: ["uid": "7"]) }
        log.refused("call refused", of: "uid 8", metadata: ["uid": "8"])
        #expect(lines.all.count(where: { $0 == "info: call refused uid=7" }) == 20)
        #expect(
            lines.all.suffix(2) == [
                "info: further refusals in this minute are omitted origin=uid 7", "info: call refused uid=8",
            ]
        )
        clock.advance(by: .seconds(60))
        log.refused("call refused", of: "uid 8", metadata: ["uid": "8"])
        #expect(
            lines.all.suffix(2) == [
                "info: refusals were omitted count=980 origin=uid 7", "info: call refused uid=8",
            ]
        )
        #expect(lines.all.count == 24)
    }

    @Test("from the 65th on, all new origins share one limit") func origins() {
        let log = RefusalLog(logger: lines.logger, clock: clock.clock)
        for origin in 0..<5000 { log.refused("call refused", of: "\(origin)", metadata: [:]) }
        #expect(lines.all.count == RefusalLog.origins + RefusalLog.linesPerOrigin + 1)
    }
}
