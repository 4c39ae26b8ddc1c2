import FlowModel
import Moments
import Systemd

/// All connections of the socket as a state machine: admission, the bounds of each uid, and the end of the service.
///
/// A value without I/O, whose transitions return what is to be done.
struct RegistryState {
    /// The phases of the service, in their order.
    enum Phase: Hashable {
        case serving
        /// Calls are refused, but for the first one of a connection that was let in before and could not know of the end.
        case lastCalls
        /// Nobody is waited for but calls under way.
        case draining
        /// The connections are being closed.
        case closing
        /// There is no connection any more.
        case closed
    }

    /// Instructions to the registry.
    enum Action: Hashable {
        case none
        /// Tells all calls that their callers wait no longer.
        case cancelCalls
        /// Closes all connections after what was answered.
        case closeConnections
        /// Says that the service has ended.
        case finish
    }

    /// Reasons for which a peer is not let in.
    enum TurnedAway: Hashable {
        case nobody
        case tooManyConnections
        case ending
    }

    /// Verdicts on a line that has come.
    enum Admission: Hashable {
        case allowed
        /// The service ends: each call of the line is refused.
        case ending
        /// This second has had enough of them.
        case tooMany(retryAfterMs: Int64)
    }

    private struct Load {
        let memory: AnswerMemory
        var calls = 0
        var second: Int64 = 0
        var requests = 0

        /// Counts a request.
        ///
        /// - Returns: The number of them in this second.
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
    /// Connections that have not asked for anything yet.
    private var silent = 0
    private var loads: [UInt32: Load] = [:]
    private let limits: SocketLimits

    /// A service to which nobody is connected.
    init(limits: SocketLimits) {
        self.limits = limits
        connections = PeerConnections(perUID: limits.connectionsPerUID, total: limits.connections)
    }

    /// Bytes of answers to a uid that stand in memory.
    func unreadBytes(of uid: UInt32) -> Int { loads[uid]?.memory.held ?? 0 }

    // MARK: Connections

    /// Lets a peer in.
    ///
    /// - Returns: The reason for which it is not; nil if it is.
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

    /// Memory for the answers to a connection that was let in.
    mutating func memory(of uid: UInt32) -> AnswerMemory {
        let load = loads[uid] ?? Load(memory: AnswerMemory(limit: limits.unreadPerUID))
        loads[uid] = load
        return AnswerMemory(limit: limits.unreadPerConnection, within: load.memory)
    }

    /// A connection that was let in is gone.
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

    /// Begins a call.
    ///
    /// - Returns: Why it cannot begin; nil if it has.
    mutating func begin(_ uid: UInt32, _ memory: AnswerMemory) -> Refusal? {
        guard (loads[uid]?.calls ?? 0) < limits.inFlightPerUID else {
            return Refusal(.limitExceeded, "too many calls of this user are under way").with(.limit, "inFlight")
        }
        guard !memory.isFull else {
            return Refusal(.limitExceeded, "too many answers wait to be read; read them first")
                .with(.limit, "unreadBytes")
        }
        loads[uid]?.calls += 1
        calls += 1
        return nil
    }

    /// A call that had begun has ended, whether its connection is still there or not.
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

    /// Announces the end.
    mutating func end() -> Action {
        guard phase == .serving else { return .none }
        phase = .lastCalls
        return .cancelCalls
    }

    /// The time for first calls is over.
    mutating func lastCallsPassed() -> Action {
        guard phase == .lastCalls else { return .none }
        phase = .draining
        return .cancelCalls
    }

    /// The time for calls under way is over.
    mutating func drainPassed() -> Action {
        switch phase {
        case .serving, .lastCalls, .draining: return close()
        case .closing, .closed: return .none
        }
    }

    /// Goes on with the end if nothing holds it up any more; to be asked after every change.
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
