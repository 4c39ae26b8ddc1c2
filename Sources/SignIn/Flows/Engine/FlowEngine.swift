import AuthorityStore
import FlowModel
import Foundation
import Moments
import OAuth
import OpenIDClient
import Policies

/// The engine that runs flows according to ``FlowMachine``, and whose methods all throw `Refusal`.
///
/// A flow's entire state is in the store, so any of the owner's connections can continue it, even after a restart.
struct FlowEngine: Sendable {
    let rows: FlowRows
    let limits: FlowLimits

    private var evaluator: Evaluator { rows.evaluator }

    func start(_ request: FlowRequest) async throws -> Started {
        try await FlowStart(request, engine: self).started()
    }

    func get(_ id: String, owner: Owner) async throws -> Flow {
        try await rows.shown(try await rows.load(id, owner: owner))
    }

    func list(owner: Owner) async throws -> [Flow] {
        try await rows.open(of: owner).map { FlowView.outline($0.now) }
    }

    func outcome(_ id: String, owner: Owner) async throws -> FlowOutcome? {
        try await rows.load(id, owner: owner).record.outcome
    }

    func submit<Value>(
        _ submission: FlowSubmission,
        loaded: StoredFlow?,
        caller: Caller,
        concluding conclude: Conclude<Value>?
    ) async throws -> (SubmissionResult, Value?) {
        let event = FlowEvent.submitted(
            step: submission.step,
            id: submission.submissionID,
            answers: submission.answers
        )
        return try await uncancelled {
            try await handle(event, submission.flow, loaded: loaded, concluding: conclude, caller)
        }
    }

    func act(_ action: FlowAction, loaded: StoredFlow?, caller: Caller) async throws -> SubmissionResult {
        let event = FlowEvent.acted(
            step: action.step,
            id: action.submissionID,
            action: action.action,
            value: action.value
        )
        return try await uncancelled {
            try await handle(event, action.flow, loaded: loaded, concluding: nil as Conclude<Never>?, caller).0
        }
    }

    /// Submits a token that the caller already has from the provider, and cancels the flow if the submission fails.
    func bring(_ token: BroughtToken, to flow: Flow, caller: Caller) async throws -> SubmissionResult {
        do {
            return try await uncancelled {
                try await handle(.brought(token, id: "brought"), flow.id, concluding: nil as Conclude<Never>?, caller).0
            }
        } catch {
            _ = try? await cancel(flow.id, caller: caller, reason: "the provider's token")
            throw error
        }
    }

    func cancel(
        _ id: String,
        loaded: StoredFlow? = nil,
        caller: Caller,
        reason: String? = nil
    ) async throws -> Flow {
        try await rows.changing(id, owner: caller.owner, loaded: loaded) { stored, now in
            guard let machine = stored.machine else { return FlowView.outline(stored.record) }
            var next = machine.reduce(stored.record, .cancelled, now: now)
            if next.record != stored.record {
                if let reason = reason.map(Self.shown) {
                    for index in next.audit.indices { next.audit[index].detail["reason"] = reason }
                }
                next.record = try await rows.write(next, over: stored, caller)
            }
            return machine.view(next.record).flow()
        }
    }

    /// Returns the caller's reason in a form for the audit log: shortened and without control characters.
    private static func shown(_ reason: String) -> String {
        String(
            reason.unicodeScalars.filter { $0.properties.generalCategory != .control }.prefix(64).map(Character.init)
        )
    }

    func opened(_ id: String, by opener: LinkOpener, continues: Bool, caller: Caller) async throws -> Flow {
        try await rows.changing(id, owner: caller.owner) { stored, _ in
            let before = stored.record
            // A new revision would make the answer that is being evaluated stale.
            guard !stored.now.isEnded, !before.isEvaluating,
                before.history.openedBy.map({ continues && $0 != opener }) ?? true
            else { return try await rows.shown(stored) }
            var next = Transition(record: before)
            next.record.history.openedBy = opener
            next.record.history.openings += 1
            next.record.history.revision += 1
            let record = try await rows.write(next, over: stored, caller)
            return try await rows.shown(record, by: stored.machine)
        }
    }

    func refuseWords(_ id: String, caller: Caller) async throws -> Flow {
        try await rows.changing(id, owner: caller.owner) { stored, now in
            guard let machine = stored.machine, !stored.now.isEnded else { return try await rows.shown(stored) }
            let next = machine.reduce(stored.record, .wordsRefused, now: now)
            return try await rows.shown(try await rows.write(next, over: stored, caller), by: machine)
        }
    }

    func isLink(_ id: String, owner: Owner) async throws -> Bool {
        if case .link? = try await rows.load(id, owner: owner).record.order.requirement.change { true } else { false }
    }

    func requireProof(_ id: String, loaded: StoredFlow?, at ticket: String?, caller: Caller) async throws -> Flow {
        let asked = try await rows.changing(id, owner: caller.owner, loaded: loaded) {
            stored,
            now -> (StoredFlow, Evaluation?)? in
            let record = stored.now
            guard let machine = stored.machine, case .asking = record.phase, record.lacksProof(at: ticket) else {
                return nil
            }
            let again = machine.reduce(record, .doubted, now: now)
            var next = stored
            next.record = try await rows.write(again, over: stored, caller)
            next.rev = next.record.history.revision
            return (next, again.evaluation)
        }
        guard let (claimed, evaluation) = asked else { return try await get(id, owner: caller.owner) }
        guard let evaluation, let machine = claimed.machine else {
            return try await rows.shown(claimed.record, by: claimed.machine)
        }
        do {
            return try await uncancelled {
                try await evaluate(evaluation, claimed, machine, concluding: nil as Conclude<Never>?, caller).0
            }.flow
        } catch {
            // The flow no longer has an open step, so it cannot continue.
            _ = try? await cancel(id, caller: caller, reason: "the user was not authenticated again")
            throw error
        }
    }

    /// Runs `work`, which must have its own deadlines, to completion even if the caller disconnects.
    func uncancelled<T: Sendable>(_ work: @escaping @Sendable () async throws -> T) async throws -> T {
        let task = Task { try await work() }
        return try await task.value
    }

    /// A flow to which an event has been applied, and the evaluation that must run next, if any.
    private struct Taken<Value: Sendable>: Sendable {
        let flow: StoredFlow
        let transition: Transition
        var evaluation: PreparedEvaluation.Run?
        var value: Value?
    }

    private func handle<Value>(
        _ event: FlowEvent,
        _ id: String,
        loaded: StoredFlow? = nil,
        concluding conclude: Conclude<Value>?,
        _ caller: Caller
    ) async throws -> (SubmissionResult, Value?) {
        let taken = try await rows.changing(id, owner: caller.owner, loaded: loaded) { stored, now -> Taken<Value> in
            guard let machine = stored.machine else { throw Refusals.flowFinished(stored.record.state) }
            var next = machine.reduce(stored.record, event, now: now)
            guard next.record != stored.record else { return Taken(flow: stored, transition: next) }
            if case .submitted = event { next.record.note(answerAt: caller.ticket) }
            if let work = next.evaluation {
                switch try await rows.claim(next, evaluating: work, over: stored, caller) {
                case .success(let run):
                    return Taken(flow: stored.written(next.record), transition: next, evaluation: run)
                case .failure(let refusal):
                    next.append(machine.reduce(next.record, .evaluated(.refused(refusal)), now: now))
                }
            }
            let (record, value) = try await write(next, over: stored, concluding: conclude, caller)
            if let verdict = record.verdict(on: event.submission) { next.tell(.verdict(verdict)) }
            if record.outcome == nil, next.record.outcome != nil { next.tell(.verdict(.rejected)) }
            return Taken(flow: stored.written(record), transition: next, value: value)
        }
        guard let run = taken.evaluation, let work = taken.transition.evaluation, let machine = taken.flow.machine
        else {
            return (try await result(taken.flow, taken.transition), taken.value)
        }
        return try await evaluate(work, begun: run, taken.flow, machine, concluding: conclude, caller)
    }

    /// Evaluates a claimed answer, and writes all results in one transaction.
    ///
    /// `run` is the function that runs `first`, or `nil` if `first` has not been charged yet.
    func evaluate<Value>(
        _ first: Evaluation,
        begun run: PreparedEvaluation.Run? = nil,
        _ claimed: StoredFlow,
        _ machine: FlowMachine,
        concluding conclude: Conclude<Value>?,
        _ caller: Caller
    ) async throws -> (SubmissionResult, Value?) {
        var begun = Transition(record: claimed.record)
        begun.evaluation = first
        var evaluated = await evaluator.run(begun, begun: run, by: machine, for: caller)
        let (record, value): (FlowRecord, Value?)
        do {
            (record, value) = try await write(
                evaluated.transition,
                over: claimed,
                settled: evaluated.settled,
                concluding: conclude,
                caller
            )
        } catch {
            await rows.giveBack(evaluated)
            guard error is Conflict else { throw error }
            // The flow ended or the evaluation was abandoned in the meantime, so the stored state takes precedence.
            let now = try await rows.load(claimed.record.order.id, owner: claimed.row.owner).now
            throw now.isEnded ? Refusals.flowFinished(now.state) : Refusals.staleStep(rev: now.history.revision)
        }
        evaluated.stale?.renew(evaluator)
        if record != evaluated.transition.record {
            await rows.giveBack(evaluated.mailCharges)
            evaluated.transition.tell(.verdict(.rejected))
        }
        return (try await result(claimed.written(record), evaluated.transition), value)
    }

    private func write<Value>(
        _ transition: Transition,
        over stored: StoredFlow,
        settled: Settlement = Settlement(),
        concluding conclude: Conclude<Value>?,
        _ caller: Caller
    ) async throws -> (FlowRecord, Value?) {
        let record = transition.record
        var unwritten: (any Error)?
        if let conclude, let outcome = record.outcome, let authentication = record.authentication {
            do {
                if let conclusion = try await conclude(outcome, authentication) {
                    try await rows.conclude(transition, giving: conclusion.rows, over: stored, settled: settled, caller)
                    return (record, conclusion.value)
                }
            } catch {
                unwritten = error
            }
        }
        let written = try await rows.write(transition, over: stored, settled: settled, caller)
        // The grant caused the error only if the flow could be written without the grant.
        if let unwritten, written == record { rows.note(unwritten) }
        return (written, nil)
    }

    private func result(_ stored: StoredFlow, _ transition: Transition) async throws -> SubmissionResult {
        if let refusal = transition.refusal { throw refusal }
        let record = stored.record
        return SubmissionResult(
            flow: try await rows.shown(record, by: stored.machine),
            verdict: transition.verdict ?? .rejected,
            finished: record.outcome
        )
    }
}

extension FlowRecord {
    fileprivate func verdict(on submission: String?) -> Verdict? {
        submission.flatMap { id in history.submissions.last { $0.id == id }?.verdict }
    }
}
