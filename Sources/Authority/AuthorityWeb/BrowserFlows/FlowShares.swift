import FlowModel
import Synchronization

/// The flows that browsers recently started.
///
/// Prevents one origin from using up the capacity that all origins share.
///
/// If an origin exceeds its share, its oldest flow ends. The counts are approximate and exist only in memory, so a
/// restart clears them.
final class FlowShares: Sendable {
    /// The maximum number of open flows per origin: a quarter of the total for browsers.
    ///
    /// It is this large because a whole office can share one IP address.
    static let perOrigin = 32
    /// The maximum number of flows that one origin can start per ``pause``.
    ///
    /// This also limits the rows, mail and audit events that one origin can cause.
    static let perPause = 64
    /// The period for ``perPause``, in milliseconds.
    static let pause: Int64 = 60_000
    /// The maximum number of origins counted.
    ///
    /// When the maximum is exceeded, origins without recent flows are dropped.
    static let mostOrigins = 4_096
    /// The maximum duration of a flow, in milliseconds.
    private static let life: Int64 = 900_000

    /// A flow that was started, with its owner.
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

    /// Rejects a flow if its origin has recently started the maximum number of flows.
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

    /// Removes and returns an origin's oldest flow, to free its slot.
    ///
    /// - Returns: A flow that might have ended already, or `nil` if the origin has started none.
    func takeOldest(of origin: Origin, at now: Int64) -> Begun? {
        shares.withLock { shares in
            guard var own = shares[origin] else { return nil }
            own.begun.removeAll { $0.at <= now - Self.life }
            let oldest = own.begun.isEmpty ? nil : own.begun.removeFirst()
            shares[origin] = own
            return oldest
        }
    }

    /// Records a flow that an origin has started.
    ///
    /// - Returns: The oldest flow of the same origin, which must end if the origin has exceeded its share, or `nil`
    ///   otherwise.
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
