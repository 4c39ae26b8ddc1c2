public import FlowModel

/// The links that lead to flows of terminals.
extension Flows {
    /// Records that a browser of another user, or of another machine, opened the link of a flow.
    ///
    /// The first one is recorded, so that opening a link again and again changes nothing. The browser that continues the
    /// flow takes its place.
    ///
    /// - Parameters:
    ///   - id: The flow.
    ///   - opener: The user or the machine of the browser.
    ///   - continues: Whether the browser continues the flow.
    ///   - caller: The browser, on behalf of the flow's owner.
    /// - Returns: The flow as it is now.
    /// - Throws: `Refusal`.
    @discardableResult
    public func opened(_ id: String, by opener: LinkOpener, continues: Bool, caller: Caller) async throws -> Flow {
        if OutsideFlows.has(id) {
            return try await outside.opened(id, owner: caller.owner, by: opener, continues: continues)
        }
        return try await changing(id, owner: caller.owner) { stored, _ in
            let before = stored.state
            // A revision of its own would make an answer stale that is being evaluated.
            guard !stored.now.isTerminal, before.evaluating == nil,
                before.openedBy.map({ continues && $0 != opener }) ?? true
            else {
                return try await shown(stored)
            }
            var state = before
            state.openedBy = opener
            state.openings = (before.openings ?? 0) + 1
            state.rev += 1
            state = try await write(state, [], over: stored, caller)
            return try await shown(state, by: stored.machine)
        }
    }

    /// Ends a flow because the words of its terminal were typed wrong too often; one that has ended stays as it is.
    ///
    /// - Parameters:
    ///   - id: The flow.
    ///   - caller: The browser, on behalf of the flow's owner.
    /// - Returns: The flow as it ended.
    /// - Throws: `Refusal`.
    public func refuseWords(_ id: String, caller: Caller) async throws -> Flow {
        if OutsideFlows.has(id) { return try await outside.refuseWords(id, owner: caller.owner) }
        return try await changing(id, owner: caller.owner) { stored, now in
            guard let machine = stored.machine, !stored.now.isTerminal else { return try await shown(stored) }
            let (ended, effects) = machine.refuseWords(stored.state, now: now)
            let state = try await write(ended, effects, over: stored, caller)
            return try await shown(state, by: machine)
        }
    }
}
