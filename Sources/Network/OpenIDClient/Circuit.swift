public import Moments

/// A provider's circuit breaker.
///
/// After several consecutive failures, the provider is not called for a while, so that callers do not wait for it.
public struct Circuit: Sendable {
    /// The number of consecutive failures that open the circuit.
    static let mostFailures = 5
    /// How long the circuit stays open before a trial call.
    static let pause: Duration = .seconds(15)
    /// The maximum number of concurrent calls.
    static let mostCalls = 32
    /// The maximum number of concurrent calls for one local user, so that a busy user leaves capacity for others.
    static let mostCallsOfOne = 8

    private var failures = 0
    private var openUntil: Deadline?
    /// Whether the trial call after a pause is running.
    private var isTrying = false
    private var calls = 0
    /// The number of running calls for each local user, by uid.
    private var shares: [UInt32: Int] = [:]

    /// Creates a closed circuit.
    public init() {}

    /// Whether the circuit has no state: no running call, and no failure since the last success.
    public var isQuiet: Bool { calls == 0 && failures == 0 }

    /// Whether a call is running.
    var isCalling: Bool { calls > 0 }

    /// Whether the circuit can be dropped with little loss: no call is running, and the next call would not be
    /// rejected.
    public func isIdle(at now: Moment) -> Bool { !isCalling && openUntil?.hasPassed(at: now) ?? true }

    /// Admits a call.
    ///
    /// A call for a local user counts against that user's limit.
    public mutating func begin(_ name: String, for uid: UInt32? = nil, at now: Moment) throws(ProviderError) {
        if let uid, shares[uid, default: 0] >= Self.mostCallsOfOne {
            throw ProviderError(
                .unavailable,
                "\(name) has too many running calls for one user",
                retryAfter: .seconds(1)
            )
        }
        if let openUntil {
            guard openUntil.hasPassed(at: now) else {
                throw ProviderError(
                    .unavailable,
                    "\(name) failed recently and is not called again yet",
                    retryAfter: .milliseconds(openUntil.millisecondsLeft(at: now))
                )
            }
            // Admits one trial call. Other calls are rejected until its outcome is known.
            self.openUntil = Deadline(Self.pause, after: now)
            isTrying = true
        }
        guard calls < Self.mostCalls else { throw ProviderError(.unavailable, "\(name) has too many running calls") }
        calls += 1
        if let uid { shares[uid, default: 0] += 1 }
    }

    /// Records that an admitted call was not made.
    ///
    /// The circuit learns nothing about the server. If this was the trial call, the next call becomes the trial call.
    public mutating func withdraw(for uid: UInt32? = nil, at now: Moment) {
        leave(uid)
        guard isTrying else { return }
        isTrying = false
        openUntil = Deadline(.zero, after: now)
    }

    /// Records the end of a call.
    ///
    /// If the server requests a pause, the circuit opens immediately.
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
