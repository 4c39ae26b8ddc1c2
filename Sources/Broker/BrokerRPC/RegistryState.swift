import FlowModel
import Moments
import Systemd

/// The state machine for all connections: it admits peers, enforces per-uid limits, and shuts the service down.
///
/// It does not perform I/O. Its transitions return actions.
struct RegistryState {
    /// The phases of the service, in order.
    enum Phase: Hashable {
        case serving
        /// Calls are refused, except the first call on each connection, because its peer connected before the shutdown
        /// and could not know about it.
        case lastCalls
        /// The service only waits for calls in progress.
        case draining
        /// The connections are being closed.
        case closing
        /// All connections are closed.
        case closed
    }

    /// An action for the registry to take.
    enum Action: Hashable {
        case none
        /// Notify all calls that their callers are no longer waiting.
        case cancelCalls
        /// Close all connections after sending their pending responses.
        case closeConnections
        /// Announce that the service has shut down.
        case finish
    }

    /// The reasons for rejecting a peer.
    enum TurnedAway: Hashable {
        case nobody
        case tooManyConnections
        case ending
    }

    /// The decision about a received line.
    enum Admission: Hashable {
        case allowed
        /// The service is shutting down, so each call in the line must be refused.
        case ending
        /// The uid has sent too many lines in the current second.
        case tooMany(retryAfterMs: Int64)
    }

    private struct Load {
        let memory: AnswerMemory
        var calls = 0
        var second: Int64 = 0
        var requests = 0

        /// Counts one of the uid's requests.
        ///
        /// - Returns: The number of requests in the current second.
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
    /// The number of calls in progress, for all uids together.
    private(set) var calls = 0
    /// The number of connections on which no request has been received yet.
    private var silent = 0
    private var loads: [UInt32: Load] = [:]
    /// The memory for responses to all uids.
    private let all: AnswerMemory
    private let limits: SocketLimits

    /// Creates the state of a service that has no connections.
    init(limits: SocketLimits) {
        self.limits = limits
        all = AnswerMemory(limit: limits.unread)
        connections = PeerConnections(perUID: limits.connectionsPerUID, total: limits.connections)
    }

    /// Returns the number of bytes in memory for responses to a uid.
    func unreadBytes(of uid: UInt32) -> Int { loads[uid]?.memory.held ?? 0 }

    /// The number of bytes in memory for responses to all uids.
    var unreadBytes: Int { all.held }

    // MARK: Connections

    /// Admits or rejects a peer.
    ///
    /// - Returns: The reason for rejecting the peer, or `nil` if it is admitted.
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

    /// Returns the memory for responses on an admitted connection.
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

    /// Removes an admitted connection that has closed.
    mutating func closed(_ uid: UInt32, hasAsked: Bool) -> Action {
        connections.leave(uid)
        if !hasAsked { silent -= 1 }
        forget(uid)
        return settled()
    }

    // MARK: Calls

    /// Counts a line received from a uid, and decides what to do with it.
    mutating func line(of uid: UInt32, isFirst: Bool, at now: Moment) -> Admission {
        if isFirst { silent -= 1 }
        let second = now.boot / 1000
        let requests = loads[uid]?.request(in: second) ?? 1
        guard requests <= limits.requestsPerSecondPerUID else { return .tooMany(retryAfterMs: 1000 - now.boot % 1000) }
        return phase == .serving || isFirst ? .allowed : .ending
    }

    /// Starts a call, unless a limit is reached.
    ///
    /// - Returns: The refusal, or `nil` if the call has started.
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

    /// Records that a call has ended, even if its connection no longer exists.
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

    /// Begins the shutdown of the service.
    mutating func end() -> Action {
        guard phase == .serving else { return .none }
        phase = .lastCalls
        return .cancelCalls
    }

    /// Ends the period in which first calls are accepted.
    mutating func lastCallsPassed() -> Action {
        guard phase == .lastCalls else { return .none }
        phase = .draining
        return .cancelCalls
    }

    /// Ends the period in which the service waits for calls in progress.
    mutating func drainPassed() -> Action {
        switch phase {
        case .serving, .lastCalls, .draining: return close()
        case .closing, .closed: return .none
        }
    }

    /// Continues the shutdown if there is nothing left to wait for.
    ///
    /// Call this after every change.
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
