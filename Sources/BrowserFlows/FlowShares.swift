import FlowModel
import Synchronization

/// The flows that browsers have begun lately, so that no place takes the room of all others.
///
/// A place that begins one more than its share loses its oldest; what is kept here is a hint, and lost with a restart.
final class FlowShares: Sendable {
    /// The greatest number of open flows of one place: an office may share one address.
    static let perOrigin = 64
    /// The time in which a place begins no more flows than its share, in milliseconds; so the rows, mails and audit events
    /// that it causes are bounded, too.
    static let pause: Int64 = 60_000
    /// The greatest number of places that are remembered; beyond it, those that began nothing lately are forgotten.
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

    private let begun = Mutex<[Origin: [Begun]]>([:])

    /// Refuses a flow of a place that has just begun as many as it may.
    ///
    /// - Throws: `limit_exceeded` with the time to wait.
    func admit(_ origin: Origin, at now: Int64) throws(Refusal) {
        let oldest = begun.withLock { begun in
            begun[origin].flatMap { $0.count < Self.perOrigin ? nil : $0[$0.count - Self.perOrigin].at }
        }
        guard let oldest, (0..<Self.pause).contains(now - oldest) else { return }
        throw Refusal(.limitExceeded, "too many sign-ins were begun from here; try again")
            .with(.limit, "flowsPerOrigin").retrying(afterMs: Self.pause - (now - oldest))
    }

    /// Takes the oldest flow of an origin, to make room for another one of it.
    ///
    /// - Returns: A flow that may have ended; nil if the origin has begun none.
    func takeOldest(of origin: Origin, at now: Int64) -> Begun? {
        begun.withLock { begun in
            var own = begun[origin, default: []].filter { $0.at > now - Self.life }
            let oldest = own.isEmpty ? nil : own.removeFirst()
            begun[origin] = own.isEmpty ? nil : own
            return oldest
        }
    }

    /// Notes a flow.
    ///
    /// - Returns: The flow of the same place that has to end for it; nil if there is room.
    func note(_ flow: Begun, from origin: Origin) -> Begun? {
        begun.withLock { begun in
            if begun.count >= Self.mostOrigins, begun[origin] == nil {
                begun = begun.filter { ($0.value.last?.at ?? 0) > flow.at - Self.life }
                if begun.count >= Self.mostOrigins { begun = [:] }
            }
            var own = begun[origin, default: []].filter { $0.at > flow.at - Self.life }
            own.append(flow)
            let oldest = own.count > Self.perOrigin ? own.removeFirst() : nil
            begun[origin] = own
            return oldest
        }
    }
}
