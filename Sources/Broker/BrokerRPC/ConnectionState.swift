import NIOCore

/// The state machine of one connection, whose transitions return the I/O to perform.
struct ConnectionState {
    enum Phase: Hashable {
        case reading
        /// No lines are processed or read, because the channel's buffer is full or too many calls are in progress.
        case waiting
        /// The peer has closed its side of the connection, and the lines received so far are being processed.
        case lastLines
        /// The peer has closed its side, and its remaining lines wait for the same reasons as in ``waiting``.
        case lastLinesWaiting
        /// No more lines are processed, and the connection closes as soon as the calls in progress have been answered.
        case ending
        /// The last responses are being written, and the connection closes no later than at the given deadline.
        case closing(until: NIODeadline)
        case closed
    }

    enum Action: Hashable {
        case none
        /// Process lines while ``nextLine(hasRoom:)`` returns `take`, then resume reading if the phase is `reading`.
        case takeLines
        /// Write the pending responses, and then close the connection.
        case close
        case abandon
    }

    enum Taking: Hashable {
        case take
        case stopReading
        case wait
    }

    private(set) var phase = Phase.reading
    private(set) var calls = 0
    private(set) var hasAsked = false
    /// Whether the peer is subscribed to notifications, and can therefore wait indefinitely without sending requests.
    private(set) var isSubscribed = false
    private var lastUse: NIODeadline
    /// When the first byte of an incomplete line was received, or `nil` if there is no incomplete line.
    private var lineBegan: NIODeadline?
    private let limits: SocketLimits

    init(limits: SocketLimits, at now: NIODeadline) {
        self.limits = limits
        lastUse = now
    }

    var takesInput: Bool {
        switch phase {
        case .reading, .waiting, .lastLines, .lastLinesWaiting: true
        case .ending, .closing, .closed: false
        }
    }

    var answers: Bool {
        switch phase {
        case .reading, .waiting, .lastLines, .lastLinesWaiting, .ending: true
        case .closing, .closed: false
        }
    }

    // MARK: Lines

    /// Decides whether to process the next line, given whether the channel's buffer has room for responses.
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

    /// Records that a line is being processed, and returns whether it is the first line of the connection.
    mutating func lineTaken(at now: NIODeadline) -> Bool {
        defer { hasAsked = true }
        lastUse = now
        lineBegan = nil
        return !hasAsked
    }

    /// Records that no complete line is left, and whether the beginning of another line has been received.
    mutating func linesTaken(isWithinLine: Bool, at now: NIODeadline) -> Action {
        switch phase {
        case .lastLines: return end(at: now)
        case .reading, .waiting, .lastLinesWaiting, .ending, .closing, .closed:
            lineBegan = isWithinLine ? lineBegan ?? now : nil
            return .none
        }
    }

    mutating func lineTooLong(at now: NIODeadline) -> Action { end(at: now) }

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

    mutating func callBegan() { calls += 1 }

    /// Records that a call has ended, and returns whether to write its response.
    mutating func callEnded(at now: NIODeadline) -> Bool {
        calls -= 1
        lastUse = now
        return answers
    }

    mutating func subscribed() { isSubscribed = true }

    /// Returns the action to perform after responses have been written or the peer has read some responses.
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

    // MARK: Closing

    /// Closes the connection if it is idle, or if the peer does not finish a line or does not read the last responses.
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

    /// Closes the connection after sending the pending responses, without waiting for calls in progress.
    mutating func close(at now: NIODeadline) -> Action {
        guard answers else { return .none }
        phase = .closing(until: now + TimeAmount(limits.closeTimeout))
        return .close
    }

    mutating func closed() { phase = .closed }

    private mutating func end(at now: NIODeadline) -> Action {
        if calls == 0 { return close(at: now) }
        phase = .ending
        return .none
    }
}
