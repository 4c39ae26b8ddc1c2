import FlowModel
import Moments
import Systemd

/// The state machine that admits peers, enforces limits per uid and controls the shutdown, without performing I/O.
struct RegistryState {
    enum Phase: Hashable {
        case serving
        /// Each connection can still make its first request, because its peer might not know of the shutdown yet.
        case lastCalls
        case draining
        case closing
        case closed
    }

    enum Action: Hashable {
        case none
        /// Cancel all calls in progress, except those that change state.
        case cancelCalls
        /// Close all connections after sending their pending responses.
        case closeConnections
        /// Report that the shutdown is complete.
        case finish
    }

    enum TurnedAway: Hashable {
        case nobody
        case tooManyConnections
        case ending
    }

    enum Admission: Hashable {
        case allowed
        /// The service is shutting down, so each call in the line must be refused.
        case ending
        /// The uid has sent too many lines in the current second, and can send more after the given time.
        case tooMany(retryAfterMs: Int64)
    }

    private struct Load {
        let memory: AnswerMemory
        var calls = 0
        var second: Int64 = 0
        var requests = 0

        mutating func request(in second: Int64) -> Int {
            if self.second != second {
                self.second = second
                requests = 0
            }
            requests += 1
            return requests
        }
    }

    private(set) var phase = Phase.serving
    private(set) var connections: PeerConnections
    private(set) var calls = 0
    /// The number of connections on which no request has been received yet.
    private var silent = 0
    private var loads: [UInt32: Load] = [:]
    private let all: AnswerMemory
    private let limits: SocketLimits

    init(limits: SocketLimits) {
        self.limits = limits
        all = AnswerMemory(limit: limits.unread)
        connections = PeerConnections(perUID: limits.connectionsPerUID, total: limits.connections)
    }

    func unreadBytes(of uid: UInt32) -> Int { loads[uid]?.memory.held ?? 0 }

    var unreadBytes: Int { all.held }

    // MARK: Connections

    /// Admits a peer and returns `nil`, or returns the reason for rejecting the peer.
    mutating func admit(_ peer: PeerCredentials) -> TurnedAway? {
        switch phase {
        case .serving, .lastCalls: break
        case .draining, .closing, .closed: return .ending
        }
        if peer.isNobody { return .nobody }
        guard connections.enter(peer.uid) else { return .tooManyConnections }
        silent += 1
        return nil
    }

    /// Returns a new counter for the memory used by responses on an admitted connection.
    mutating func memory(of uid: UInt32) -> AnswerMemory {
        let load =
            loads[uid]
            ?? Load(
                memory: AnswerMemory(
                    limit: limits.unreadPerUID,
                    within: all,
                    guaranteed: limits.unreadGuaranteedPerUID
                )
            )
        loads[uid] = load
        return AnswerMemory(limit: limits.unreadPerConnection, within: load.memory)
    }

    mutating func closed(_ uid: UInt32, hasAsked: Bool) -> Action {
        connections.leave(uid)
        if !hasAsked { silent -= 1 }
        forget(uid)
        return settled()
    }

    // MARK: Calls

    mutating func line(of uid: UInt32, isFirst: Bool, at now: Moment) -> Admission {
        if isFirst { silent -= 1 }
        let second = now.boot / 1000
        let requests = loads[uid]?.request(in: second) ?? 1
        guard requests <= limits.requestsPerSecondPerUID else { return .tooMany(retryAfterMs: 1000 - now.boot % 1000) }
        return phase == .serving || isFirst ? .allowed : .ending
    }

    mutating func begin(_ uid: UInt32, _ memory: AnswerMemory) -> Refusal? {
        guard (loads[uid]?.calls ?? 0) < limits.inFlightPerUID else {
            return Refusal(.limitExceeded, Text("refusal.tooManyCalls")).with(.limit, "inFlight")
        }
        guard !memory.isFull else {
            return Refusal(.limitExceeded, Text("refusal.tooManyUnread")).with(.limit, "unreadBytes")
        }
        loads[uid]?.calls += 1
        calls += 1
        return nil
    }

    /// Records that a call has ended, even if its connection is already closed.
    mutating func ended(_ uid: UInt32) -> Action {
        loads[uid]?.calls -= 1
        calls -= 1
        forget(uid)
        return settled()
    }

    private mutating func forget(_ uid: UInt32) {
        if connections.count(uid) == 0, loads[uid]?.calls == 0 { loads[uid] = nil }
    }

    // MARK: Shutdown

    mutating func end() -> Action {
        guard phase == .serving else { return .none }
        phase = .lastCalls
        return .cancelCalls
    }

    mutating func lastCallsPassed() -> Action {
        guard phase == .lastCalls else { return .none }
        phase = .draining
        return .cancelCalls
    }

    mutating func drainPassed() -> Action {
        switch phase {
        case .serving, .lastCalls, .draining: return close()
        case .closing, .closed: return .none
        }
    }

    /// After a change, starts the next phase of the shutdown if there is nothing left to wait for.
    mutating func settled() -> Action {
        switch phase {
        case .lastCalls where calls == 0 && silent == 0, .draining where calls == 0: return close()
        case .closing where connections.total == 0:
            phase = .closed
            return .finish
        case .serving, .lastCalls, .draining, .closing, .closed: return .none
        }
    }

    private mutating func close() -> Action {
        phase = .closing
        return .closeConnections
    }
}
