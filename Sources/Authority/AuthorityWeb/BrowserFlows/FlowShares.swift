import FlowModel
import Synchronization

/// The flows that browsers have begun lately, so that no origin takes the room of all others.
///
/// An origin that begins one more than its share loses its oldest; what is stored here is a hint, and lost with a restart.
final class FlowShares: Sendable {
    /// The greatest number of open flows of one origin, a quarter of those of all browsers: an office may share one
    /// address.
    static let perOrigin = 32
    /// The greatest number of flows that one origin begins in ``pause``; so the rows, mails and audit events that it causes
    /// are bounded, too.
    static let perPause = 64
    /// The period of that number, in milliseconds.
    static let pause: Int64 = 60_000
    /// The greatest number of origins that are remembered; beyond it, those that began nothing lately are forgotten.
    static let mostOrigins = 4_096
    /// The time after which a flow has ended anyway, in milliseconds.
    private static let life: Int64 = 900_000

    /// A flow that was begun.
    struct Begun: Hashable {
        let flow: String
        let owner: Owner
        /// Milliseconds since 1970 UTC.
        let at: Int64
    }

    private struct Share {
        /// The flows that may be open, oldest first.
        var begun: [Begun] = []
        /// The times at which the last flows were begun, ``FlowShares/perPause`` at most.
        var times: [Int64] = []
    }

    private let shares = Mutex<[Origin: Share]>([:])

    /// Refuses a flow of an origin that has just begun as many as it may.
    ///
    /// - Throws: `limit_exceeded` with the time to wait.
    func admit(_ origin: Origin, at now: Int64) throws(Refusal) {
        let oldest = shares.withLock { shares in
            shares[origin].flatMap { $0.times.count < Self.perPause ? nil : $0.times.first }
        }
        guard let oldest, (0..<Self.pause).contains(now - oldest) else { return }
        throw Refusal(.limitExceeded, Text("refusal.tooManyBegunFromHere"))
            .with(.limit, "flowsPerOrigin").retrying(afterMs: Self.pause - (now - oldest))
    }

    /// Takes the oldest flow of an origin, to make room for another one of it.
    ///
    /// - Returns: A flow that may have ended; nil if the origin has begun none.
    func takeOldest(of origin: Origin, at now: Int64) -> Begun? {
        shares.withLock { shares in
            guard var own = shares[origin] else { return nil }
            own.begun.removeAll { $0.at <= now - Self.life }
            let oldest = own.begun.isEmpty ? nil : own.begun.removeFirst()
            shares[origin] = own
            return oldest
        }
    }

    /// Notes a flow.
    ///
    /// - Returns: The flow of the same origin that has to end for it; nil if there is room.
    func note(_ flow: Begun, from origin: Origin) -> Begun? {
        shares.withLock { shares in
            if shares.count >= Self.mostOrigins, shares[origin] == nil {
                shares = shares.filter { ($0.value.times.last ?? 0) > flow.at - Self.life }
                if shares.count >= Self.mostOrigins { shares = [:] }
            }
            var own = shares[origin] ?? Share()
            own.times.append(flow.at)
            if own.times.count > Self.perPause { own.times.removeFirst() }
            own.begun.removeAll { $0.at <= flow.at - Self.life }
            own.begun.append(flow)
            let oldest = own.begun.count > Self.perOrigin ? own.begun.removeFirst() : nil
            shares[origin] = own
            return oldest
        }
    }
}
