public import FlowModel
import Moments
import OAuth

extension Flows {
    /// Returns a flow once its `rev` is beyond `sinceRev`, or as it is when the time is over; changes nothing.
    ///
    /// - Parameters:
    ///   - id: The flow.
    ///   - owner: The owner.
    ///   - sinceRev: The revision that the caller has.
    ///   - timeout: The longest wait, at most 60 s.
    /// - Returns: The flow.
    /// - Throws: `Refusal`, `limit_exceeded` if too many wait; `CancellationError`.
    public func wait(_ id: String, owner: Owner, sinceRev: Int, timeout: Duration) async throws -> Flow {
        let clock = ContinuousClock()
        let end = clock.now.advanced(by: min(max(timeout, .zero), FlowLimits.longestWait))
        let changed = try changes.subscribe(to: id, owner: owner)
        defer { changes.unsubscribe(changed) }
        while true {
            let flow = try await get(id, owner: owner)
            let left = clock.now.duration(to: end)
            if flow.rev > sinceRev || flow.state.isTerminal || left <= .zero { return flow }
            try await changed.next(within: min(left, Self.pollInterval, untilExpiry(of: flow)))
        }
    }

    /// The time after which the flow or its step expires.
    private func untilExpiry(of flow: Flow) -> Duration {
        let ends = min(flow.expiresAt, flow.stepExpiresAt ?? flow.expiresAt)
        let (left, isOver) = ends.subtractingReportingOverflow(clock.now.wall)
        return isOver ? Self.shortestPause : max(.milliseconds(left), Self.shortestPause)
    }

    /// The longest time without reading the flow: another daemon may have changed it.
    private static let pollInterval: Duration = .seconds(5)
    /// The shortest time without reading the flow.
    private static let shortestPause: Duration = .milliseconds(50)
}
