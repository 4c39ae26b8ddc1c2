import FlowModel
import Flows
import Moments

extension BrowserFlows {
    /// The most flows that are looked at to make room for one.
    private static let mostEnded = 64

    /// Begins a flow of a browser's place, out of the share that the place has.
    ///
    /// If there is no room for it, the origin loses its own oldest flow.
    ///
    /// - Parameters:
    ///   - request: The flow.
    ///   - browser: The browser.
    /// - Returns: The flow's id.
    /// - Throws: `Refusal`, `limit_exceeded` with the time to wait.
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

    /// Ends the oldest open flow of the browser's origin; false if there is none.
    private func makesRoom(_ browser: Browser) async throws -> Bool {
        for _ in 0..<Self.mostEnded {
            guard let oldest = shares.takeOldest(of: browser.origin, at: clock.now.wall) else { return false }
            if try await end(oldest, browser) { return true }
        }
        return false
    }

    /// Ends a flow that was open; false for one that had ended.
    private func end(_ begun: FlowShares.Begun, _ browser: Browser) async throws -> Bool {
        do {
            guard try await !flows.get(begun.flow, owner: begun.owner).state.isTerminal else { return false }
            _ = try await flows.cancel(begun.flow, caller: browser.caller(begun.owner), reason: "more than a share")
            return true
        } catch let refusal as Refusal {
            // One that ended some time ago is forgotten.
            guard refusal.reason == .flowNotFound else { throw refusal }
            return false
        }
    }
}
