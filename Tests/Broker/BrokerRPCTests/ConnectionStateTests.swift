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

    @Test("lines are taken until so many calls are under way, and again when one has ended") func inFlight() {
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

    @Test("no line is taken of a peer that does not read its answers, until it does") func room() {
        var state = state()
        #expect(state.nextLine(hasRoom: false) == .stopReading)
        #expect(state.settled(hasRoom: false, at: start) == .none)
        #expect(state.settled(hasRoom: true, at: start) == .takeLines)
        #expect(state.nextLine(hasRoom: true) == .take)
    }

    @Test("who waits for notifications is not idle, and still has to end a line") func subscribed() {
        var state = state()
        let late = start + TimeAmount(limits.idleTimeout) + .seconds(1)
        state.subscribed()
        #expect(state.overdue(at: late) == .none)
        #expect(state.linesTaken(isWithinLine: true, at: start) == .none)
        #expect(state.overdue(at: late) == .close)
    }

    @Test("only the first line is the first") func firstLine() {
        var state = state()
        #expect(!state.hasAsked)
        #expect(state.lineTaken(at: start) == true)
        #expect(state.lineTaken(at: start) == false)
        #expect(state.hasAsked)
    }

    @Test("a peer that has said all is answered before the connection closes") func lastLines() {
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

    @Test("lines that wait for room when the peer has said all are taken when there is some") func lastLinesWaiting() {
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

    @Test("a line that is too long ends the connection after what is under way") func tooLong() {
        var busy = state()
        busy.callBegan()
        #expect(busy.lineTooLong(at: start) == .none)
        #expect(busy.nextLine(hasRoom: true) == .wait)
        #expect(busy.callEnded(at: start) == true)
        #expect(busy.settled(hasRoom: true, at: start) == .close)
        var idle = state()
        #expect(idle.lineTooLong(at: start) == .close)
    }

    @Test("a connection that closes answers no more, and is closed once") func closing() {
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

    @Test("a peer that does not read its last answers loses the connection in time") func unread() {
        var state = state()
        _ = state.close(at: start)
        let end = start + TimeAmount(limits.closeTimeout)
        #expect(state.overdue(at: end - .nanoseconds(1)) == .none)
        #expect(state.overdue(at: end) == .abandon)
    }

    @Test("a line that does not end closes the connection, counted from its first byte") func slowLine() {
        var state = state()
        #expect(state.linesTaken(isWithinLine: true, at: start) == .none)
        #expect(state.linesTaken(isWithinLine: true, at: start + .seconds(8)) == .none)
        #expect(state.overdue(at: start + .seconds(10)) == .none)
        #expect(state.overdue(at: start + .seconds(11)) == .close)
    }

    @Test("a line that has ended is not slow, nor one that nobody reads on") func quickLine() {
        var ended = state()
        _ = ended.linesTaken(isWithinLine: true, at: start)
        _ = ended.lineTaken(at: start + .seconds(1))
        #expect(ended.overdue(at: start + .seconds(20)) == .none)
        var waiting = state()
        _ = waiting.linesTaken(isWithinLine: true, at: start)
        _ = waiting.nextLine(hasRoom: false)
        #expect(waiting.overdue(at: start + .seconds(20)) == .none)
    }

    @Test("a connection without a request is closed in the end, one with a call under way is not") func idle() {
        let late = start + TimeAmount(limits.idleTimeout) + .seconds(1)
        var state = state()
        state.callBegan()
        #expect(state.overdue(at: late) == .none)
        _ = state.callEnded(at: late)
        #expect(state.overdue(at: late + .seconds(1)) == .none)
        #expect(state.overdue(at: late + .seconds(302)) == .close)
    }
}
