import FlowModel
import Synchronization

/// Limits how many flows each origin can start, so that no origin uses up the capacity that all origins share.
///
/// If an origin exceeds its share, its oldest flow ends. The counts are approximate, and are lost when the daemon restarts.
final class FlowShares: Sendable {
    /// The maximum number of open flows per origin, enough for an office whose browsers share one IP address.
    ///
    /// The value is a quarter of the default limit for the flows of all browsers.
    static let perOrigin = 32
    /// The maximum number of flows per origin within ``pause``, which also limits database rows, mail and audit events.
    static let perPause = 64
    /// The length of the period in which ``perPause`` flows can start, in milliseconds.
    static let pause: Int64 = 60_000
    /// The maximum number of counted origins, beyond which the least recently active ones are no longer counted.
    static let mostOrigins = 4_096
    /// The maximum duration of a flow, in milliseconds.
    private static let life: Int64 = 900_000

    struct Begun: Hashable {
        let flow: String
        let owner: Owner
        /// When the flow started, in milliseconds since 1970 UTC.
        let at: Int64
    }

    private struct Share {
        /// The flows that might still be open, oldest first.
        var begun: [Begun] = []
        /// The start times of the origin's most recent flows, at most ``FlowShares/perPause`` of them.
        var times: [Int64] = []
    }

    private let shares = Mutex<[Origin: Share]>([:])

    /// Throws `limit_exceeded`, with the time to wait, if the origin has started ``perPause`` flows within ``pause``.
    func admit(_ origin: Origin, at now: Int64) throws(Refusal) {
        let oldest = shares.withLock { shares in
            shares[origin].flatMap { $0.times.count < Self.perPause ? nil : $0.times.first }
        }
        guard let oldest, (0..<Self.pause).contains(now - oldest) else { return }
        throw Refusal(.limitExceeded, Text("refusal.tooManyBegunFromHere"))
            .with(.limit, "flowsPerOrigin").retrying(afterMs: Self.pause - (now - oldest))
    }

    /// Stops counting the origin's oldest flow, which might have ended, and returns it, or `nil` if there is none.
    func takeOldest(of origin: Origin, at now: Int64) -> Begun? {
        shares.withLock { shares in
            guard var own = shares[origin] else { return nil }
            own.begun.removeAll { $0.at <= now - Self.life }
            let oldest = own.begun.isEmpty ? nil : own.begun.removeFirst()
            shares[origin] = own
            return oldest
        }
    }

    /// Counts a new flow, and returns the origin's oldest flow for the caller to end if the origin has too many.
    func note(_ flow: Begun, from origin: Origin) -> Begun? {
        shares.withLock { shares in
            if shares.count >= Self.mostOrigins, shares[origin] == nil {
                shares = shares.filter { ($0.value.times.last ?? 0) > flow.at - Self.life }
                let idlest = shares.min { ($0.value.times.last ?? 0) < ($1.value.times.last ?? 0) }
                if shares.count >= Self.mostOrigins, let idlest { shares[idlest.key] = nil }
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
