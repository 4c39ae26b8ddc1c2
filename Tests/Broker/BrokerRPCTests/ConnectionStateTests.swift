import NIOCore
import Testing

@testable import BrokerRPC

@Suite(.timeLimit(.minutes(1)))
struct ConnectionStateTests {
    private let start = NIODeadline.now()
    private var limits: SocketLimits {
        var limits = SocketLimits()
        limits.inFlightPerConnection = 2
        return limits
    }

    private func state() -> ConnectionState { ConnectionState(limits: limits, at: start) }

    @Test("lines are read until the limit of concurrent calls, and again when a call has ended") func inFlight() {
        var state = state()
        for _ in 0..<2 {
            #expect(state.nextLine(hasRoom: true) == .take)
            state.callBegan()
        }
        #expect(state.nextLine(hasRoom: true) == .stopReading)
        #expect(state.nextLine(hasRoom: true) == .wait)
        #expect(state.settled(hasRoom: true, at: start) == .none)
        #expect(state.callEnded(at: start) == true)
        #expect(state.settled(hasRoom: true, at: start) == .takeLines)
        #expect(state.phase == .reading)
    }

    @Test("no line is read from a peer that does not read its responses, until it does") func room() {
        var state = state()
        #expect(state.nextLine(hasRoom: false) == .stopReading)
        #expect(state.settled(hasRoom: false, at: start) == .none)
        #expect(state.settled(hasRoom: true, at: start) == .takeLines)
        #expect(state.nextLine(hasRoom: true) == .take)
    }

    @Test("a peer that waits for notifications is not idle, and must still complete a line it began") func subscribed()
    {
        var state = state()
        let late = start + TimeAmount(limits.idleTimeout) + .seconds(1)
        state.subscribed()
        #expect(state.overdue(at: late) == .none)
        #expect(state.linesTaken(isWithinLine: true, at: start) == .none)
        #expect(state.overdue(at: late) == .close)
    }

    @Test("only the first line counts as the first") func firstLine() {
        var state = state()
        #expect(!state.hasAsked)
        #expect(state.lineTaken(at: start) == true)
        #expect(state.lineTaken(at: start) == false)
        #expect(state.hasAsked)
    }

    @Test("a peer that has closed its sending side gets its responses before the connection closes") func lastLines() {
        var state = state()
        _ = state.nextLine(hasRoom: true)
        state.callBegan()
        #expect(state.inputEnded() == .takeLines)
        #expect(state.nextLine(hasRoom: true) == .take)
        #expect(state.linesTaken(isWithinLine: false, at: start) == .none)
        #expect(state.phase == .ending)
        #expect(!state.takesInput)
        #expect(state.settled(hasRoom: true, at: start) == .none)
        #expect(state.callEnded(at: start) == true)
        #expect(state.settled(hasRoom: true, at: start) == .close)
    }

    @Test("lines that wait for room when the peer closes its sending side are read when there is room")
    func lastLinesWaiting() {
        var state = state()
        #expect(state.nextLine(hasRoom: false) == .stopReading)
        #expect(state.inputEnded() == .none)
        #expect(state.nextLine(hasRoom: true) == .wait)
        #expect(state.settled(hasRoom: true, at: start) == .takeLines)
        #expect(state.nextLine(hasRoom: false) == .wait)
        #expect(state.phase == .lastLinesWaiting)
        #expect(state.settled(hasRoom: true, at: start) == .takeLines)
        #expect(state.linesTaken(isWithinLine: false, at: start) == .close)
    }

    @Test("a line that is too long ends the connection after the calls in progress") func tooLong() {
        var busy = state()
        busy.callBegan()
        #expect(busy.lineTooLong(at: start) == .none)
        #expect(busy.nextLine(hasRoom: true) == .wait)
        #expect(busy.callEnded(at: start) == true)
        #expect(busy.settled(hasRoom: true, at: start) == .close)
        var idle = state()
        #expect(idle.lineTooLong(at: start) == .close)
    }

    @Test("a closing connection sends no more responses, and closes once") func closing() {
        var state = state()
        state.callBegan()
        #expect(state.close(at: start) == .close)
        #expect(state.close(at: start) == .none)
        #expect(state.callEnded(at: start) == false)
        #expect(state.settled(hasRoom: true, at: start) == .none)
        #expect(state.nextLine(hasRoom: true) == .wait)
        state.closed()
        #expect(state.overdue(at: start + .hours(1)) == .none)
    }

    @Test("a peer that does not read its last responses loses the connection after a timeout") func unread() {
        var state = state()
        _ = state.close(at: start)
        let end = start + TimeAmount(limits.closeTimeout)
        #expect(state.overdue(at: end - .nanoseconds(1)) == .none)
        #expect(state.overdue(at: end) == .abandon)
    }

    @Test("a line that does not end closes the connection, timed from its first byte") func slowLine() {
        var state = state()
        #expect(state.linesTaken(isWithinLine: true, at: start) == .none)
        #expect(state.linesTaken(isWithinLine: true, at: start + .seconds(8)) == .none)
        #expect(state.overdue(at: start + .seconds(10)) == .none)
        #expect(state.overdue(at: start + .seconds(11)) == .close)
    }

    @Test("a complete line is not slow, nor is one that the server does not read") func quickLine() {
        var ended = state()
        _ = ended.linesTaken(isWithinLine: true, at: start)
        _ = ended.lineTaken(at: start + .seconds(1))
        #expect(ended.overdue(at: start + .seconds(20)) == .none)
        var waiting = state()
        _ = waiting.linesTaken(isWithinLine: true, at: start)
        _ = waiting.nextLine(hasRoom: false)
        #expect(waiting.overdue(at: start + .seconds(20)) == .none)
    }

    @Test("a connection without a request closes after a timeout, one with a call in progress does not") func idle() {
        let late = start + TimeAmount(limits.idleTimeout) + .seconds(1)
        var state = state()
        state.callBegan()
        #expect(state.overdue(at: late) == .none)
        _ = state.callEnded(at: late)
        #expect(state.overdue(at: late + .seconds(1)) == .none)
        #expect(state.overdue(at: late + .seconds(302)) == .close)
    }
}
