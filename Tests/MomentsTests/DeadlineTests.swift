import Moments
import Testing

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
