import AuthorityStore
public import FlowModel
import Moments

/// The beginning of a flow that is yet to be written.
struct FlowBeginning {
    let request: FlowRequest
    let machine: FlowMachine
    /// The time of the beginning.
    let now: Moment
    /// The last sign-out before anything was read of its person.
    let knownSignOut: Int64

    /// The end of a flow before anybody was asked.
    struct Ending {
        let state: FlowRunState
        /// Everything that follows from it, from the beginning on.
        let effects: [FlowEffect]
        let settled: [ChargeKey]
    }
}

extension Flows {
    /// Opens a flow in which nothing is left to ask, and writes its end as that of an answer is written.
    ///
    /// The row is there first, as if an answer were evaluated: an equal request meanwhile finds this flow, a sign-out
    /// meanwhile ends it, and what it makes is made once. A caller that hangs up in between changes nothing of it.
    ///
    /// - Parameters:
    ///   - ending: The end.
    ///   - fresh: The state before anything happened.
    ///   - beginning: The beginning.
    ///   - mailCharges: The charges of mails, which are given back if none is sent.
    /// - Returns: The flow, with its outcome if it has ended well.
    /// - Throws: `Refusal`.
    func openEnded(
        _ ending: FlowBeginning.Ending,
        from fresh: FlowRunState,
        _ beginning: FlowBeginning,
        _ mailCharges: [ChargeKey]
    ) async throws -> Started {
        try await uncancelled {
            do {
                let claimed = beginning.machine.claimed(fresh, now: clock.now)
                var first = EffectSummary()
                first.take(ending.effects.filter(\.isBeginning))
                let (started, isOpened) = try await open(claimed, first, beginning)
                if isOpened { return try await end(ending, over: claimed, beginning) }
                await giveBack(mailCharges)
                return started
            } catch {
                await giveBack(mailCharges)
                throw error
            }
        }
    }

    private func end(
        _ ending: FlowBeginning.Ending,
        over claimed: FlowRunState,
        _ beginning: FlowBeginning
    ) async throws -> Started {
        let (machine, caller) = (beginning.machine, beginning.request.caller)
        let row = row(of: claimed, beginning)
        let stored = StoredFlow(row: row, rev: claimed.rev, state: claimed, machine: machine, readAt: clock.now)
        var last = ending.state
        last.rev = claimed.rev + 1
        let rest = ending.effects.filter { !$0.isBeginning }
        do {
            let state = try await write(last, rest, over: stored, settled: ending.settled, caller)
            let finished = state.state == .succeeded ? state.finished : nil
            return Started(flow: try await shown(state, by: machine), joined: false, finished: finished)
        } catch is Conflict {
            throw Refusals.flowFinished(try await load(claimed.id, owner: claimed.owner).state.state)
        } catch {
            _ = try? await cancel(claimed.id, caller: caller, reason: "its end could not be written")
            throw error
        }
    }

    /// The outcome of a flow of this owner that has ended well before anybody was asked; nil for any other.
    public func finishedAtOnce(_ id: String, owner: Owner) async throws -> FlowOutcome? {
        if OutsideFlows.has(id) { return nil }
        let state = try await load(id, owner: owner).state
        return state.state == .succeeded && state.ordinal == 0 ? state.finished : nil
    }

    /// The row of a new flow.
    func row(of state: FlowRunState, _ beginning: FlowBeginning) -> FlowRow {
        let request = beginning.request
        var row = row(
            of: state,
            requestID: request.requestID,
            joinKey: request.joinKey,
            createdAt: beginning.now.wall
        )
        row.knownSignOut = beginning.knownSignOut
        return row
    }
}

extension FlowEffect {
    /// True for what is written with a flow's first state, before its end.
    fileprivate var isBeginning: Bool { self == .audit(.flowStarted) }
}
