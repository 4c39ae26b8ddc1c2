public import Moments

/// A provider's circuit: after some failures in a row it is not called for a while, so that nobody waits for it in vain.
public struct Circuit: Sendable {
    /// The failures in a row that open it.
    static let mostFailures = 5
    /// The time for which it stays open; then one call tries.
    static let pause: Duration = .seconds(15)
    /// The most calls at once.
    static let mostCalls = 32
    /// The most of them for one user of the machine: as many others have room beside whoever keeps it busy.
    static let mostCallsOfOne = 8

    private var failures = 0
    private var openUntil: Deadline?
    /// True while the one call is under way that tries after a pause.
    private var isTrying = false
    private var calls = 0
    /// The calls of each user of the machine, by uid.
    private var shares: [UInt32: Int] = [:]

    /// A circuit that is closed.
    public init() {}

    /// True if there is nothing to remember of it: no call under way, and no failure since the last success.
    public var isQuiet: Bool { calls == 0 && failures == 0 }

    /// True while a call is under way.
    var isCalling: Bool { calls > 0 }

    /// Returns true if little would be lost with it: no call is under way, and none would be turned away.
    public func isIdle(at now: Moment) -> Bool { !isCalling && openUntil?.hasPassed(at: now) ?? true }

    /// Lets a call begin; one for a user of the machine has a share.
    public mutating func begin(_ name: String, for uid: UInt32? = nil, at now: Moment) throws(ProviderError) {
        if let uid, shares[uid, default: 0] >= Self.mostCallsOfOne {
            throw ProviderError(
                .unavailable,
                "\(name) has too many calls of one user under way",
                retryAfter: .seconds(1)
            )
        }
        if let openUntil {
            guard openUntil.hasPassed(at: now) else {
                throw ProviderError(
                    .unavailable,
                    "\(name) failed just now and is not asked again yet",
                    retryAfter: .milliseconds(openUntil.millisecondsLeft(at: now))
                )
            }
            // One call tries; the others wait for its outcome.
            self.openUntil = Deadline(Self.pause, after: now)
            isTrying = true
        }
        guard calls < Self.mostCalls else { throw ProviderError(.unavailable, "\(name) has too many calls under way") }
        calls += 1
        if let uid { shares[uid, default: 0] += 1 }
    }

    /// Notes that a call was not made after all, which says nothing of the server: if it was to try, the next one may.
    public mutating func withdraw(for uid: UInt32? = nil, at now: Moment) {
        leave(uid)
        guard isTrying else { return }
        isTrying = false
        openUntil = Deadline(.zero, after: now)
    }

    /// Notes the end of a call; a server that asks for a pause gets it at once.
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
