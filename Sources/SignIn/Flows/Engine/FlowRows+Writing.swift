import Attempts
import AuthorityStore
import FlowModel
import Logging
import Moments
import Policies
import Storage
import StoreRefusals

extension FlowRows {
    /// Writes a transition, together with everything that belongs to it, in one database transaction.
    ///
    /// - Returns: The record that was written. This is not the record in `transition` if another transition had to be
    ///   written instead, for example because the sign-in name was taken.
    /// - Throws: ``Conflict`` if the row has changed in the meantime, or a `Refusal`.
    func write(
        _ transition: Transition,
        over stored: StoredFlow,
        settled: Settlement = Settlement(),
        _ caller: Caller
    ) async throws -> FlowRecord {
        do {
            try await store.flows.commit(commit(transition, over: stored, settled, caller))
        } catch {
            return try await recover(from: error, writing: transition, over: stored, settled: settled, caller)
        }
        await written(transition)
        return transition.record
    }

    /// Writes the transition of a successful flow, together with the grant, in one database transaction.
    ///
    /// - Throws: `StoreError` or `Refusal`, with nothing written. The caller then calls ``write(_:over:settled:_:)``.
    func conclude(
        _ transition: Transition,
        giving conclusion: FlowConclusion,
        over stored: StoredFlow,
        settled: Settlement,
        _ caller: Caller
    ) async throws {
        var commit = commit(transition, over: stored, settled, caller)
        commit.conclusion = conclusion
        try await store.flows.commit(commit)
        await written(transition)
    }

    /// Claims an answer in the same transaction that charges its evaluation.
    ///
    /// - Returns: The function that runs the evaluation, or the reason for refusing the answer, which is then not
    ///   charged.
    /// - Throws: ``Conflict`` if the row has changed in the meantime, or a `Refusal` if nothing could be written.
    func claim(
        _ transition: Transition,
        evaluating work: Evaluation,
        over stored: StoredFlow,
        _ caller: Caller
    ) async throws -> Result<PreparedEvaluation.Run, Refusal> {
        // Read the last sign-out first. Otherwise, a sign-out between the two reads would seem to precede both.
        let signOut = try await Self.refusals.storing { try await store.flows.lastSignOut() }
        let prepared: PreparedEvaluation
        do {
            prepared = try await evaluator.prepare(work, transition.record, caller)
        } catch {
            return .failure(Evaluator.refusal(error))
        }
        var claim = commit(transition, over: stored, Settlement(), caller)
        claim.flow.knownSignOut = signOut
        let run: PreparedEvaluation.Run
        do {
            run = try await evaluator.begin(prepared, claiming: claim)
        } catch let error as StoreError {
            throw error.code == .conflict ? Conflict() : Self.refusals.refusal(error)
        } catch let refusal as Refusal {
            return .failure(refusal)
        }
        await written(transition)
        return .success(run)
    }

    /// Logs why a successful flow was written without its grant, unless the cause is a refusal or a concurrent change.
    func note(_ unwritten: any Error) {
        switch unwritten {
        case is Refusal: break
        case let error as StoreError where error.code == .stale || error.code == .conflict: break
        default: logger.warning("a sign-in was stored without its tokens", metadata: ["error": "\(unwritten)"])
        }
    }

    /// Refunds the charges for e-mail messages and restores a withheld PIN, but does not refund an attempt.
    func giveBack(_ evaluated: EvaluatedFlow) async {
        await giveBack(evaluated.mailCharges)
        for case .withheld(let enrolment) in evaluated.settled.uses.map(\.answer) {
            do {
                try await store.enrolments.giveBack(enrolment)
            } catch {
                logger.warning("a withheld credential was not restored", metadata: ["error": "\(error)"])
            }
        }
    }

    func giveBack(_ charges: [ChargeKey]) async {
        do {
            try await evaluator.attempts.giveBack(charges)
        } catch {
            logger.warning("the charge for an email message was not refunded", metadata: ["error": "\(error)"])
        }
    }

    private func written(_ transition: Transition) async {
        let record = transition.record
        if !transition.mails.isEmpty { mailQueued() }
        if let edit = transition.changes.withdrawn, let user = record.user { await changes.edited(edit, of: user) }
        changes.changed(record.order.id)
    }

    private func commit(
        _ transition: Transition,
        over stored: StoredFlow,
        _ settled: Settlement,
        _ caller: Caller
    ) -> FlowCommit {
        let record = transition.record
        let user = record.outcome?.user ?? record.known.person?.user
        var commit = FlowCommit(
            flow: row(of: record, like: stored.row),
            expectedRev: stored.rev,
            authentication: record.authentication,
            changes: transition.changes,
            settled: settled.charges,
            pendingRequest: record.outcome?.pendingRequest,
            mails: stored.machine?.view(record).mails(transition.mails, from: caller.origin, at: clock.now) ?? [],
            events: record.events(transition.audit, caller, user: user)
        )
        commit.begunBeside = record.order.begunBeside
        commit.used = settled.uses.map(\.answer)
        guard let user, transition.isCompletion else { return commit }
        var made = Set(transition.changes.compactMap(\.credential))
        if transition.changes.newUser != nil { made.formUnion(record.known.proofs.map(\.credential)) }
        commit.proven = evaluator.attempts.proofs(of: made, by: user, at: record.origin)
        if transition.changes.setsPassword { commit.unlocked = evaluator.attempts.budgets(of: user) }
        if record.outcome != nil { commit.earlierSession = record.order.requirement.session }
        commit.cookieOwner = caller.cookieOwner
        commit.session = stored.machine.flatMap { session(record, $0) }
        commit.origin = record.origin.levels
        return commit
    }

    /// Writes a replacement for a transition that could not be written, or throws if there is no replacement.
    private func recover(
        from error: StoreError,
        writing transition: Transition,
        over stored: StoredFlow,
        settled: Settlement,
        _ caller: Caller
    ) async throws -> FlowRecord {
        if error.code == .conflict { throw Conflict() }
        guard let machine = stored.machine else { throw Self.refusals.refusal(error) }
        let record = stored.record
        switch error.code {
        case .answerUsed:
            guard let use = settled.uses.first else { throw Self.refusals.refusal(error) }
            let wrong = try await evaluator.wrong(use.check, use.subject, origin: record.origin)
            return try await write(machine.reduce(record, .evaluated(wrong), now: clock.now), over: stored, caller)
        case .limitExceeded where record.isEvaluating:
            // Reopen the step now, so that the user does not have to wait until the claim expires.
            let refusal = Self.refusals.refusal(error)
            let next = machine.reduce(record, .evaluated(.refused(refusal)), now: clock.now)
            _ = try await write(next, over: stored, caller)
            throw refusal
        default: break
        }
        guard transition.isCompletion else { throw Self.refusals.refusal(error) }
        let event: FlowEvent
        var givenBack = settled
        switch error.code {
        case .nameTaken where transition.changes.linksIdentity && !Linking.isOpen(record):
            // Another flow has just created an account for the same user. Signing in again finds that account.
            event = .failed(.denied)
        case .nameTaken: event = .nameTaken
        case .consumed where record.order.requirement.change?.unlinks == true: event = .lastWayIn
        case .disabled, .expired, .consumed, .notFound:
            event = .failed(error.code == .expired ? .expired : .denied)
            givenBack.charges = []
        default: throw Self.refusals.refusal(error)
        }
        let next = machine.reduce(record, event, now: clock.now)
        return try await write(next, over: stored, settled: givenBack, caller)
    }

    private func session(_ record: FlowRecord, _ machine: FlowMachine) -> SessionRow? {
        guard let outcome = record.outcome, let id = outcome.session else { return nil }
        let (order, rule, now) = (record.order, machine.policy.session, clock.now)
        let absolute = Deadline(rule.longest(window: machine.policy.tokens.slidingWindow), after: now)
        return SessionRow(
            id: id,
            owner: order.owner,
            user: outcome.user,
            proofs: record.known.proofs,
            policy: order.policy.description,
            client: order.client,
            scope: rule.scope,
            createdAt: now.wall,
            ends: Deadline(rule.lifetime, after: now).earlier(absolute),
            absoluteEnd: absolute
        )
    }

    private func row(of record: FlowRecord, like row: FlowRow) -> FlowRow {
        self.row(of: record, requestID: row.requestID, joinKey: row.joinKey, createdAt: row.createdAt)
    }
}

extension Transition {
    fileprivate var isCompletion: Bool { record.outcome != nil || !changes.isEmpty }
}
