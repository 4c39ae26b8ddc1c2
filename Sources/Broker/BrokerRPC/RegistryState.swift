import FlowModel
import Moments
import Systemd

/// All connections of the socket as a state machine: admission, the limits of each uid, and the end of the service.
///
/// A value without I/O, whose transitions return actions.
struct RegistryState {
    /// The phases of the service, in their order.
    enum Phase: Hashable {
        case serving
        /// Calls are refused, except the first one of a connection that was admitted before and could not know of the
        /// end.
        case lastCalls
        /// Only calls under way are waited for.
        case draining
        /// The connections are being closed.
        case closing
        /// No connection is left.
        case closed
    }

    /// Instructions to the registry.
    enum Action: Hashable {
        case none
        /// Tells all calls that their callers no longer wait.
        case cancelCalls
        /// Closes all connections after their pending answers.
        case closeConnections
        /// Announces that the service has ended.
        case finish
    }

    /// The reasons for turning a peer away.
    enum TurnedAway: Hashable {
        case nobody
        case tooManyConnections
        case ending
    }

    /// The decisions on a line that has come.
    enum Admission: Hashable {
        case allowed
        /// The service is ending: each call of the line is refused.
        case ending
        /// The uid has sent too many lines in this second.
        case tooMany(retryAfterMs: Int64)
    }

    private struct Load {
        let memory: AnswerMemory
        var calls = 0
        var second: Int64 = 0
        var requests = 0

        /// Counts a request of the uid.
        ///
        /// - Returns: The number of requests in this second.
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
    /// Calls under way, of all uids.
    private(set) var calls = 0
    /// Connections that have not sent a request yet.
    private var silent = 0
    private var loads: [UInt32: Load] = [:]
    /// Bytes of the answers to all uids.
    private let all: AnswerMemory
    private let limits: SocketLimits

    /// A service without connections.
    init(limits: SocketLimits) {
        self.limits = limits
        all = AnswerMemory(limit: limits.unread)
        connections = PeerConnections(perUID: limits.connectionsPerUID, total: limits.connections)
    }

    /// Bytes of answers to a uid that are in memory.
    func unreadBytes(of uid: UInt32) -> Int { loads[uid]?.memory.held ?? 0 }

    /// Bytes of answers to all uids that are in memory.
    var unreadBytes: Int { all.held }

    // MARK: Connections

    /// Admits a peer.
    ///
    /// - Returns: The reason for turning it away; nil if it is admitted.
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

    /// The memory for the answers to an admitted connection.
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

    /// Removes an admitted connection that is closed.
    mutating func closed(_ uid: UInt32, hasAsked: Bool) -> Action {
        connections.leave(uid)
        if !hasAsked { silent -= 1 }
        forget(uid)
        return settled()
    }

    // MARK: Calls

    /// Counts a line of a uid.
    mutating func line(of uid: UInt32, isFirst: Bool, at now: Moment) -> Admission {
        if isFirst { silent -= 1 }
        let second = now.boot / 1000
        let requests = loads[uid]?.request(in: second) ?? 1
        guard requests <= limits.requestsPerSecondPerUID else { return .tooMany(retryAfterMs: 1000 - now.boot % 1000) }
        return phase == .serving || isFirst ? .allowed : .ending
    }

    /// Begins a call, unless a limit is reached.
    ///
    /// - Returns: The refusal; nil if it has begun.
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

    /// Counts a call that has ended, even if its connection has gone.
    mutating func ended(_ uid: UInt32) -> Action {
        loads[uid]?.calls -= 1
        calls -= 1
        forget(uid)
        return settled()
    }

    private mutating func forget(_ uid: UInt32) {
        if connections.count(uid) == 0, loads[uid]?.calls == 0 { loads[uid] = nil }
    }

    // MARK: The end

    /// Begins the end of the service.
    mutating func end() -> Action {
        guard phase == .serving else { return .none }
        phase = .lastCalls
        return .cancelCalls
    }

    /// Ends the time for first calls.
    mutating func lastCallsPassed() -> Action {
        guard phase == .lastCalls else { return .none }
        phase = .draining
        return .cancelCalls
    }

    /// Ends the time for calls under way.
    mutating func drainPassed() -> Action {
        switch phase {
        case .serving, .lastCalls, .draining: return close()
        case .closing, .closed: return .none
        }
    }

    /// Continues with the end if nothing delays it any more; to be called after every change.
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
