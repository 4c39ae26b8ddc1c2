import Foundation
import Moments
import Testing

@Suite(.timeLimit(.minutes(2)))
struct DeadlineTests {
    private let now = Moment(wall: 1_000_000, boot: 5_000, bootID: "a")

    @Test("a wall clock set forward ends what was granted and frees nobody early")
    func forward() {
        let deadline = Deadline(.seconds(60), after: now)
        let jumped = Moment(wall: now.wall + 3_600_000, boot: now.boot + 1_000, bootID: "a")
        #expect(deadline.hasEnded(at: jumped))
        #expect(!deadline.hasPassed(at: jumped))
        #expect(deadline.millisecondsLeft(at: jumped) == 59_000)
    }

    @Test("a wall clock set back prolongs nothing")
    func back() {
        let deadline = Deadline(.seconds(60), after: now)
        let jumped = Moment(wall: now.wall - 3_600_000, boot: now.boot + 60_000, bootID: "a")
        #expect(deadline.hasEnded(at: jumped))
        #expect(deadline.hasPassed(at: jumped))
    }

    @Test("after a suspend what was granted has ended, what was forbidden is allowed, and nothing is left to wait for")
    func suspend() {
        let deadline = Deadline(.seconds(60), after: now)
        let awake = now.advanced(by: .seconds(8 * 3600))
        #expect(deadline.hasEnded(at: awake))
        #expect(deadline.hasPassed(at: awake))
        #expect(deadline.millisecondsLeft(at: awake) == 0)
    }

    @Test("the machine's clock counts from boot what the kernel does, suspend included") func boot() throws {
        func uptime() throws -> Int64 {
            let text = try String(contentsOfFile: "/proc/uptime", encoding: .utf8)
            return Int64(try #require(Double(text.prefix { $0 != " " })) * 1000)
        }
        let before = try uptime()
        let boot = MomentClock.system.now.boot
        // The kernel gives hundredths, rounded down.
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
