import FlowModel
import Synchronization

/// Limits how many flows each origin can start, so that no origin can use up the capacity shared by all origins.
///
/// If an origin exceeds its share, its oldest flow ends. The counts are approximate and exist only in memory, so a
/// restart clears them.
final class FlowShares: Sendable {
    /// The maximum number of open flows per origin.
    ///
    /// This is a quarter of the default limit for all browsers. It is this high because a whole office can share one IP
    /// address.
    static let perOrigin = 32
    /// The maximum number of flows that an origin can start per ``pause``.
    ///
    /// This also limits the rows, mail and audit events created by flows.
    static let perPause = 64
    /// The period that ``perPause`` applies to, in milliseconds.
    static let pause: Int64 = 60_000
    /// The maximum number of origins to track.
    ///
    /// If there are more, origins without recent flows are dropped. If all have recent flows, the least recently active
    /// origin is dropped.
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
        /// The start times of the most recent flows, at most ``FlowShares/perPause``.
        var times: [Int64] = []
    }

    private let shares = Mutex<[Origin: Share]>([:])

    /// Throws `limit_exceeded`, with the time to wait, if the origin recently started the maximum number of flows.
    func admit(_ origin: Origin, at now: Int64) throws(Refusal) {
        let oldest = shares.withLock { shares in
            shares[origin].flatMap { $0.times.count < Self.perPause ? nil : $0.times.first }
        }
        guard let oldest, (0..<Self.pause).contains(now - oldest) else { return }
        throw Refusal(.limitExceeded, Text("refusal.tooManyBegunFromHere"))
            .with(.limit, "flowsPerOrigin").retrying(afterMs: Self.pause - (now - oldest))
    }

    /// Removes and returns an origin's oldest flow, or returns `nil` if there is none.
    ///
    /// The returned flow might have ended already.
    func takeOldest(of origin: Origin, at now: Int64) -> Begun? {
        shares.withLock { shares in
            guard var own = shares[origin] else { return nil }
            own.begun.removeAll { $0.at <= now - Self.life }
            let oldest = own.begun.isEmpty ? nil : own.begun.removeFirst()
            shares[origin] = own
            return oldest
        }
    }

    /// Records a new flow.
    ///
    /// If the origin now exceeds its share, returns the origin's oldest flow, which the caller must end. Otherwise,
    /// returns `nil`.
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
