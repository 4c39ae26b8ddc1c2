import Foundation
import Moments
import Testing

@Suite(.timeLimit(.minutes(2)))
struct DeadlineTests {
    private let now = Moment(wall: 1_000_000, boot: 5_000, bootID: "a")

    @Test("setting the wall clock forward ends grants and shortens no block")
    func forward() {
        let deadline = Deadline(.seconds(60), after: now)
        let jumped = Moment(wall: now.wall + 3_600_000, boot: now.boot + 1_000, bootID: "a")
        #expect(deadline.hasEnded(at: jumped))
        #expect(!deadline.hasPassed(at: jumped))
        #expect(deadline.millisecondsLeft(at: jumped) == 59_000)
    }

    @Test("setting the wall clock back extends nothing")
    func back() {
        let deadline = Deadline(.seconds(60), after: now)
        let jumped = Moment(wall: now.wall - 3_600_000, boot: now.boot + 60_000, bootID: "a")
        #expect(deadline.hasEnded(at: jumped))
        #expect(deadline.hasPassed(at: jumped))
    }

    @Test("after a suspend grants have ended, blocks are over, and no waiting time is left")
    func suspend() {
        let deadline = Deadline(.seconds(60), after: now)
        let awake = now.advanced(by: .seconds(8 * 3600))
        #expect(deadline.hasEnded(at: awake))
        #expect(deadline.hasPassed(at: awake))
        #expect(deadline.millisecondsLeft(at: awake) == 0)
    }

    @Test("the system clock counts from boot like the kernel, including suspend") func boot() throws {
        func uptime() throws -> Int64 {
            let text = try String(contentsOfFile: "/proc/uptime", encoding: .utf8)
            return Int64(try #require(Double(text.prefix { $0 != " " })) * 1000)
        }
        let before = try uptime()
        let boot = MomentClock.system.now.boot
        // The kernel reports the uptime in hundredths of a second, rounded down.
        #expect((before...(try uptime() + 10)).contains(boot))
    }

    @Test("after a reboot the wall clock decides")
    func reboot() {
        let deadline = Deadline(.seconds(60), after: now)
        let before = Moment(wall: now.wall + 59_000, boot: 9_999_999, bootID: "b")
        let after = Moment(wall: now.wall + 60_000, boot: 0, bootID: "b")
        #expect(!deadline.hasEnded(at: before))
        #expect(!deadline.hasPassed(at: before))
        #expect(deadline.hasEnded(at: after))
        #expect(deadline.hasPassed(at: after))
        #expect(deadline.millisecondsLeft(at: before) == 1_000)
    }
}
