import FlowModel
import Flows
import Moments

extension BrowserFlows {
    /// The maximum number of flows that are checked to free a slot.
    private static let mostEnded = 64

    /// Starts a flow within the limits of the browser's origin.
    ///
    /// If the origin has too many open flows, its oldest flow is ended.
    ///
    /// - Parameters:
    ///   - request: The flow to start.
    ///   - browser: The browser.
    /// - Returns: The flow's id.
    /// - Throws: `Refusal`, with `limit_exceeded` and the time to wait if the limit is reached.
    func begin(_ request: FlowRequest, _ browser: Browser) async throws -> String {
        try shares.admit(browser.origin, at: clock.now.wall)
        let started: Started
        do {
            started = try await flows.start(request)
        } catch let refusal as Refusal where refusal.facts[.limit] == "flows" {
            guard try await makesRoom(browser) else { throw refusal }
            started = try await flows.start(request)
        }
        let begun = FlowShares.Begun(flow: started.flow.id, owner: request.caller.owner, at: clock.now.wall)
        if let oldest = shares.note(begun, from: browser.origin) { _ = try await end(oldest, browser) }
        return started.flow.id
    }

    /// Ends the oldest open flow of the browser's origin.
    ///
    /// Returns whether there was an open flow.
    private func makesRoom(_ browser: Browser) async throws -> Bool {
        for _ in 0..<Self.mostEnded {
            guard let oldest = shares.takeOldest(of: browser.origin, at: clock.now.wall) else { return false }
            if try await end(oldest, browser) { return true }
        }
        return false
    }

    /// Ends a flow.
    ///
    /// Returns whether it was still open.
    private func end(_ begun: FlowShares.Begun, _ browser: Browser) async throws -> Bool {
        do {
            guard try await !flows.get(begun.flow, owner: begun.owner).state.isTerminal else { return false }
            _ = try await flows.cancel(begun.flow, caller: browser.caller(begun.owner), reason: "more than a share")
            return true
        } catch let refusal as Refusal {
            // A flow that ended some time ago might no longer be stored.
            guard refusal.reason == .flowNotFound else { throw refusal }
            return false
        }
    }
}
