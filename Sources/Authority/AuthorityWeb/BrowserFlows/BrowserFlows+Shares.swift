import FlowModel
import Flows
import Moments

extension BrowserFlows {
    /// The maximum number of recorded flows to examine when looking for an open flow to end.
    private static let mostEnded = 64

    /// Starts a flow and returns its id, and ends the origin's oldest flow if the origin has too many open flows.
    ///
    /// - Throws: `Refusal`, which is `limit_exceeded` with the time to wait if the origin starts flows too often.
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

    private func makesRoom(_ browser: Browser) async throws -> Bool {
        for _ in 0..<Self.mostEnded {
            guard let oldest = shares.takeOldest(of: browser.origin, at: clock.now.wall) else { return false }
            if try await end(oldest, browser) { return true }
        }
        return false
    }

    private func end(_ begun: FlowShares.Begun, _ browser: Browser) async throws -> Bool {
        do {
            guard try await !flows.get(begun.flow, owner: begun.owner).state.isTerminal else { return false }
            _ = try await flows.cancel(begun.flow, caller: browser.caller(begun.owner), reason: "more than a share")
            return true
        } catch let refusal as Refusal {
            // The flow might have ended so long ago that it is no longer stored.
            guard refusal.reason == .flowNotFound else { throw refusal }
            return false
        }
    }
}
