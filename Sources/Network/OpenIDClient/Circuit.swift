public import Moments

/// A provider's circuit breaker, which rejects calls for a while after several consecutive failures.
public struct Circuit: Sendable {
    /// The number of consecutive failures that open the circuit.
    static let mostFailures = 5
    /// How long the circuit stays open before a trial call.
    static let pause: Duration = .seconds(15)
    static let mostCalls = 32
    /// The maximum number of concurrent calls for one local user, so that a busy user leaves capacity for other users.
    static let mostCallsOfOne = 8

    private var failures = 0
    private var openUntil: Deadline?
    private var isTrying = false
    private var calls = 0
    private var shares: [UInt32: Int] = [:]

    /// Creates a closed circuit.
    public init() {}

    /// Whether no call is running and no call has failed since the last success.
    public var isQuiet: Bool { calls == 0 && failures == 0 }

    var isCalling: Bool { calls > 0 }

    /// Whether the circuit can be dropped, because no call is running and it would admit the next call.
    public func isIdle(at now: Moment) -> Bool { !isCalling && openUntil?.hasPassed(at: now) ?? true }

    /// Admits a call to the provider `name` for the local user `uid`, or throws if the circuit rejects the call.
    public mutating func begin(_ name: String, for uid: UInt32? = nil, at now: Moment) throws(ProviderError) {
        if let uid, shares[uid, default: 0] >= Self.mostCallsOfOne {
            throw ProviderError(
                .unavailable,
                "\(name) has too many running calls for one user",
                retryAfter: .seconds(1)
            )
        }
        if let openUntil, !openUntil.hasPassed(at: now) {
            throw ProviderError(
                .unavailable,
                "\(name) failed recently and is not called again yet",
                retryAfter: .milliseconds(openUntil.millisecondsLeft(at: now))
            )
        }
        guard calls < Self.mostCalls else { throw ProviderError(.unavailable, "\(name) has too many running calls") }
        if openUntil != nil {
            // Admits this call as a trial. Other calls are rejected until the trial call or the pause ends.
            openUntil = Deadline(Self.pause, after: now)
            isTrying = true
        }
        calls += 1
        if let uid { shares[uid, default: 0] += 1 }
    }

    /// Records that an admitted call was not made, so that the next call can be the trial call instead.
    public mutating func withdraw(for uid: UInt32? = nil, at now: Moment) {
        leave(uid)
        guard isTrying else { return }
        isTrying = false
        openUntil = Deadline(.zero, after: now)
    }

    /// Records the end of a call, and opens the circuit immediately if the server requests a pause.
    public mutating func end(isAvailable: Bool, pause: Duration? = nil, for uid: UInt32? = nil, at now: Moment) {
        leave(uid)
        isTrying = false
        guard !isAvailable else {
            failures = 0
            openUntil = nil
            return
        }
        failures += 1
        if let pause {
            openUntil = Deadline(pause, after: now)
            return
        }
        if failures >= Self.mostFailures { openUntil = Deadline(Self.pause, after: now) }
    }

    private mutating func leave(_ uid: UInt32?) {
        calls -= 1
        guard let uid else { return }
        let left = shares[uid, default: 1] - 1
        shares[uid] = left > 0 ? left : nil
    }
}
