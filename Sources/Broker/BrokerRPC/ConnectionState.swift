import NIOCore

/// One connection as a state machine: a value without I/O, whose transitions return actions.
struct ConnectionState {
    /// The phases of a connection's life, in their order.
    enum Phase: Hashable {
        /// Lines are taken, and more is read.
        case reading
        /// No line is taken or read until there is room for answers again.
        case waiting
        /// The peer has closed its side; the lines that have come are taken.
        case lastLines
        /// The peer has closed its side; its lines wait for room.
        case lastLinesWaiting
        /// No more lines are taken; the connection closes when the calls under way are answered.
        case ending
        /// The last answers are being written, which must be done by the deadline.
        case closing(until: NIODeadline)
        /// The connection is closed.
        case closed
    }

    /// Instructions to the connection.
    enum Action: Hashable {
        case none
        /// Takes lines as long as ``nextLine(hasRoom:)`` allows, and reads more if it still does then.
        case takeLines
        /// Writes the pending answers, and closes when they are written.
        case close
        /// Closes at once.
        case abandon
    }

    /// Decisions on taking a line.
    enum Taking: Hashable {
        case take
        /// No line is taken, and nothing is read until there is room.
        case stopReading
        case wait
    }

    private(set) var phase = Phase.reading
    /// Calls under way.
    private(set) var calls = 0
    /// True once a line has come.
    private(set) var hasAsked = false
    /// True once notifications are sent, for which the peer only waits.
    private(set) var isSubscribed = false
    private var lastUse: NIODeadline
    /// The time of the first byte of a line that has not ended.
    private var lineBegan: NIODeadline?
    private let limits: SocketLimits

    /// A connection that was just made.
    init(limits: SocketLimits, at now: NIODeadline) {
        self.limits = limits
        lastUse = now
    }

    /// True if incoming bytes are processed.
    var takesInput: Bool {
        switch phase {
        case .reading, .waiting, .lastLines, .lastLinesWaiting: true
        case .ending, .closing, .closed: false
        }
    }

    /// True if answers are still written.
    var answers: Bool {
        switch phase {
        case .reading, .waiting, .lastLines, .lastLinesWaiting, .ending: true
        case .closing, .closed: false
        }
    }

    // MARK: Lines

    /// Decides if a line may be taken; `hasRoom` is true if the peer reads its answers.
    mutating func nextLine(hasRoom: Bool) -> Taking {
        let mayTake = hasRoom && calls < limits.inFlightPerConnection
        switch phase {
        case .reading where mayTake, .lastLines where mayTake: return .take
        case .reading:
            phase = .waiting
            return .stopReading
        case .lastLines:
            phase = .lastLinesWaiting
            return .wait
        case .waiting, .lastLinesWaiting, .ending, .closing, .closed: return .wait
        }
    }

    /// Records that a line was taken.
    ///
    /// - Returns: True for the first line of this connection.
    mutating func lineTaken(at now: NIODeadline) -> Bool {
        defer { hasAsked = true }
        lastUse = now
        lineBegan = nil
        return !hasAsked
    }

    /// Records that no whole line is left; `isWithinLine` is true if another has begun.
    mutating func linesTaken(isWithinLine: Bool, at now: NIODeadline) -> Action {
        switch phase {
        case .lastLines: return end(at: now)
        case .reading, .waiting, .lastLinesWaiting, .ending, .closing, .closed:
            lineBegan = isWithinLine ? lineBegan ?? now : nil
            return .none
        }
    }

    /// Ends the connection, because a line exceeds its greatest length.
    mutating func lineTooLong(at now: NIODeadline) -> Action { end(at: now) }

    /// Records that the peer has closed its side.
    mutating func inputEnded() -> Action {
        switch phase {
        case .reading:
            phase = .lastLines
            return .takeLines
        case .waiting: phase = .lastLinesWaiting
        case .lastLines, .lastLinesWaiting, .ending, .closing, .closed: break
        }
        return .none
    }

    // MARK: Calls

    /// Counts a call that has begun.
    mutating func callBegan() { calls += 1 }

    /// Counts a call that has ended.
    ///
    /// - Returns: True if its answer is to be written.
    mutating func callEnded(at now: NIODeadline) -> Bool {
        calls -= 1
        lastUse = now
        return answers
    }

    /// Records that notifications are sent from now on.
    mutating func subscribed() { isSubscribed = true }

    /// Continues after answers were written or read by the peer; `hasRoom` is true if there is room for more.
    mutating func settled(hasRoom: Bool, at now: NIODeadline) -> Action {
        let mayTake = hasRoom && calls < limits.inFlightPerConnection
        switch phase {
        case .waiting where mayTake:
            phase = .reading
            return .takeLines
        case .lastLinesWaiting where mayTake:
            phase = .lastLines
            return .takeLines
        case .ending: return end(at: now)
        case .reading, .waiting, .lastLines, .lastLinesWaiting, .closing, .closed: return .none
        }
    }

    // MARK: The end

    /// Closes a connection that is idle, does not end its line, or does not read its last answers.
    mutating func overdue(at now: NIODeadline) -> Action {
        switch phase {
        case .closing(let end): return now >= end ? .abandon : .none
        case .reading, .waiting, .lastLines, .lastLinesWaiting:
            guard calls == 0 else { return .none }
            let isSlow = phase == .reading && lineBegan.map { now - $0 > TimeAmount(limits.lineTimeout) } == true
            let isIdle = !isSubscribed && now - lastUse > TimeAmount(limits.idleTimeout)
            return isSlow || isIdle ? close(at: now) : .none
        case .ending, .closed: return .none
        }
    }

    /// Closes after the pending answers; calls under way are no longer answered.
    mutating func close(at now: NIODeadline) -> Action {
        guard answers else { return .none }
        phase = .closing(until: now + TimeAmount(limits.closeTimeout))
        return .close
    }

    /// Records that the connection is closed.
    mutating func closed() { phase = .closed }

    private mutating func end(at now: NIODeadline) -> Action {
        if calls == 0 { return close(at: now) }
        phase = .ending
        return .none
    }
}
