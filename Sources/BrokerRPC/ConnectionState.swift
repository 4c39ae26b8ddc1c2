import NIOCore

/// One connection as a state machine: a value without I/O, whose transitions return what is to be done.
struct ConnectionState {
    /// The phases of a connection's life, in their order.
    enum Phase: Hashable {
        /// Lines are taken, and more is read.
        case reading
        /// Nothing is taken or read until there is room for answers again.
        case waiting
        /// The peer has said all it will; the lines that have come are taken.
        case lastLines
        /// The peer has said all it will; its lines wait for room.
        case lastLinesWaiting
        /// Nothing more is taken; the connection closes when the calls under way are answered.
        case ending
        /// The last answers are being written, for which there is time until then.
        case closing(until: NIODeadline)
        /// There is no connection any more.
        case closed
    }

    /// Instructions to the connection.
    enum Action: Hashable {
        case none
        /// Takes lines as long as ``nextLine(hasRoom:)`` allows, and reads on if it still does then.
        case takeLines
        /// Writes the answers that are there, and closes when they are written.
        case close
        /// Closes without waiting for anything.
        case abandon
    }

    /// Answers to the question whether a line may be taken.
    enum Taking: Hashable {
        case take
        /// Not now, and nothing more is to be read until there is room.
        case stopReading
        case wait
    }

    private(set) var phase = Phase.reading
    /// Calls under way.
    private(set) var calls = 0
    /// Whether a line has come.
    private(set) var hasAsked = false
    private var lastUse: NIODeadline
    /// The time of the first byte of a line that has not ended.
    private var lineBegan: NIODeadline?
    private let limits: SocketLimits

    /// A connection that has just been made.
    init(limits: SocketLimits, at now: NIODeadline) {
        self.limits = limits
        lastUse = now
    }

    /// Whether bytes that come are looked at.
    var takesInput: Bool {
        switch phase {
        case .reading, .waiting, .lastLines, .lastLinesWaiting: true
        case .ending, .closing, .closed: false
        }
    }

    /// Whether answers are still written.
    var answers: Bool {
        switch phase {
        case .reading, .waiting, .lastLines, .lastLinesWaiting, .ending: true
        case .closing, .closed: false
        }
    }

    // MARK: Lines

    /// Asks for permission to take a line; `hasRoom` says whether the peer reads its answers.
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

    /// A line was taken.
    ///
    /// - Returns: Whether it is the first one of this connection.
    mutating func lineTaken(at now: NIODeadline) -> Bool {
        defer { hasAsked = true }
        lastUse = now
        lineBegan = nil
        return !hasAsked
    }

    /// No whole line is left; `isWithinLine` says whether another has begun.
    mutating func linesTaken(isWithinLine: Bool, at now: NIODeadline) -> Action {
        switch phase {
        case .lastLines: return end(at: now)
        case .reading, .waiting, .lastLinesWaiting, .ending, .closing, .closed:
            lineBegan = isWithinLine ? lineBegan ?? now : nil
            return .none
        }
    }

    /// A line has more bytes than it may.
    mutating func lineTooLong(at now: NIODeadline) -> Action { end(at: now) }

    /// The peer has said all it will.
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

    /// A call has begun.
    mutating func callBegan() { calls += 1 }

    /// A call has ended.
    ///
    /// - Returns: Whether its answer is to be written.
    mutating func callEnded(at now: NIODeadline) -> Bool {
        calls -= 1
        lastUse = now
        return answers
    }

    /// Answers were written, or the peer has read some; `hasRoom` says whether there is room for more.
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

    /// Closes what stands idle, does not end its line, or does not read its last answers.
    mutating func overdue(at now: NIODeadline) -> Action {
        switch phase {
        case .closing(let end): return now >= end ? .abandon : .none
        case .reading, .waiting, .lastLines, .lastLinesWaiting:
            guard calls == 0 else { return .none }
            let isSlow = phase == .reading && lineBegan.map { now - $0 > TimeAmount(limits.lineTimeout) } == true
            return isSlow || now - lastUse > TimeAmount(limits.idleTimeout) ? close(at: now) : .none
        case .ending, .closed: return .none
        }
    }

    /// Closes after what was answered; calls that are under way are answered no more.
    mutating func close(at now: NIODeadline) -> Action {
        guard answers else { return .none }
        phase = .closing(until: now + TimeAmount(limits.closeTimeout))
        return .close
    }

    /// The connection is gone.
    mutating func closed() { phase = .closed }

    private mutating func end(at now: NIODeadline) -> Action {
        if calls == 0 { return close(at: now) }
        phase = .ending
        return .none
    }
}
