import AuthorityStore
import Crypto
import FlowModel
import Foundation
import Logging
import Moments
import OAuth
import Policies
import Storage
import StoreRefusals

/// The row went on while it was looked at.
struct Conflict: Error {}

/// A flow as the store has it, with the machine of its policy.
struct StoredFlow {
    let row: FlowRow
    /// The revision of the row that the state was written with.
    var rev: Int
    var state: FlowRunState
    /// Nothing if the flow has ended, or its policy is not what it was.
    let machine: FlowMachine?

    /// The state that time has made of it.
    func now(_ now: Moment) -> FlowRunState {
        machine?.reduce(state, .timePassed, now: now).0 ?? state
    }

    /// The refusal of whatever would change it.
    func ended(at now: Moment) -> Refusal { Refusals.flowFinished(self.now(now).state) }
}

extension Flows {
    /// A flow of this owner; another's is one that does not exist.
    func load(_ id: String, owner: Owner) async throws -> StoredFlow {
        guard id.utf8.count <= FlowLimits.idLength else { throw Refusals.flowNotFound }
        let row = try await Self.rows.storing {
            try await store.flows.get(Self.hash(id), owner: owner)
        }
        guard let row, !row.keptUntil.hasEnded(at: clock.now) else { throw Refusals.flowNotFound }
        let stored = try read(row)
        if let ended = stored.now(clock.now).ended, ended.hasEnded(at: clock.now) { throw Refusals.flowNotFound }
        return stored
    }

    /// Reads a row.
    func read(_ row: FlowRow) throws -> StoredFlow {
        var state: FlowRunState
        do {
            state = try JSONDecoder().decode(FlowRunState.self, from: row.state)
        } catch {
            logger.error("a flow cannot be read", metadata: ["flow": "\(row.idHash)"])
            throw Refusals.storageFailed("the state of a flow cannot be decoded")
        }
        if !row.isOpen, !state.isTerminal {
            FlowMachine.end(&state, .cancelled, kept: row.keptUntil)
            state.rev = row.rev
        }
        let catalogue = catalogue()
        let policy = catalogue[state.policy]
        if !state.isTerminal, policy?.digest != state.policyDigest {
            FlowMachine.end(&state, .failed(.policyChanged), kept: row.keptUntil)
        }
        let machine = policy.map {
            FlowMachine(policy: $0, catalogue: catalogue, runner: runner, signUp: signUp(), outbox: outbox)
        }
        return StoredFlow(row: row, rev: row.rev, state: state, machine: machine)
    }

    /// A flow as its owner sees it, with what is left of the budget of its step.
    func shown(_ state: FlowRunState, by machine: FlowMachine?) async throws -> Flow {
        guard let machine else { return FlowMachine.outline(state) }
        return machine.view(
            state,
            attempts: try await Self.rows.storing { try await effects.attemptsLeft(machine, state) }
        )
    }

    /// A stored flow as its owner sees it now.
    func shown(_ stored: StoredFlow) async throws -> Flow {
        try await shown(stored.now(clock.now), by: stored.machine)
    }

    /// Runs `body` over a flow as it is, again if it went on meanwhile.
    func changing<T: Sendable>(
        _ id: String,
        owner: Owner,
        _ body: (StoredFlow, Moment) async throws -> T
    ) async throws -> T {
        for _ in 0..<Self.mostTries {
            do {
                return try await body(try await load(id, owner: owner), clock.now)
            } catch is Conflict {
                continue
            }
        }
        throw Refusals.submissionInProgress
    }

    /// Writes a state and what goes with it.
    ///
    /// - Returns: The state that was written: another one if the name of a new user turned out to be taken.
    /// - Throws: ``Conflict`` if the row went on meanwhile; `Refusal`.
    func write(
        _ state: FlowRunState,
        _ wanted: [FlowEffect],
        over stored: StoredFlow,
        settled: [ChargeKey] = [],
        _ caller: Caller
    ) async throws -> FlowRunState {
        var summary = EffectSummary()
        summary.take(wanted)
        let mails = summary.mails.map(MailTexts.mail)
        let row = row(of: state, like: stored.row)
        do {
            if let plan = summary.finish, let machine = stored.machine {
                let session = try await session(plan, state, machine)
                var finish = Finish(flow: row, expectedRev: stored.rev, authentication: plan.authentication)
                finish.newUser = plan.draft.map { UserRecord($0, id: plan.user, at: clock.now) }
                finish.needsInvitation = machine.signUp == .invited
                finish.settled = settled
                finish.pendingRequest = state.pendingRequest
                finish.session = session
                finish.mails = mails
                finish.events = state.events(summary.audit, caller, user: plan.user)
                try await store.flows.finish(finish)
            } else {
                let events = state.events(summary.audit, caller, user: state.person?.user)
                try await store.flows.save(
                    row,
                    expectedRev: stored.rev,
                    mails: mails,
                    events: events,
                    settled: settled
                )
            }
        } catch let error as StoreError {
            return try await recover(from: error, state, over: stored, settled: settled, caller)
        }
        if !mails.isEmpty { mailQueued() }
        changes.changed(state.id)
        return state
    }

    /// Writes what comes of a flow that cannot end as it should.
    private func recover(
        from error: StoreError,
        _ state: FlowRunState,
        over stored: StoredFlow,
        settled: [ChargeKey],
        _ caller: Caller
    ) async throws -> FlowRunState {
        if error.code == .conflict { throw Conflict() }
        guard state.state == .succeeded, let machine = stored.machine else { throw Self.rows.refusal(error) }
        switch error.code {
        case .nameTaken:
            let (next, wanted) = machine.reduce(stored.state, .evaluated(.nameTaken), now: clock.now)
            return try await write(next, wanted, over: stored, settled: settled, caller)
        case .disabled, .expired, .consumed, .notFound:
            var next = stored.state
            let wanted = machine.fail(&next, error.code == .expired ? .expired : .denied, now: clock.now)
            return try await write(next, wanted, over: stored, caller)
        default: throw Self.rows.refusal(error)
        }
    }

    private func session(
        _ plan: FinishPlan,
        _ state: FlowRunState,
        _ machine: FlowMachine
    ) async throws -> SessionRow? {
        guard let id = plan.session else { return nil }
        let rule = machine.policy.session
        let now = clock.now
        let old = try await store.sessions.live(owner: state.owner, user: plan.user).first { $0.id == id }
        let longest = rule.kind == .rolling ? max(rule.lifetime, machine.policy.tokens.slidingWindow) : rule.lifetime
        let absolute = old?.absoluteEnd ?? Deadline(longest, after: now)
        return SessionRow(
            id: id,
            owner: state.owner,
            user: plan.user,
            proofs: plan.authentication.proofs,
            policy: old?.policy ?? state.policy.description,
            client: old?.client ?? state.client,
            scope: old?.scope ?? rule.scope,
            createdAt: old?.createdAt ?? now.wall,
            ends: Deadline(rule.lifetime, after: now).earlier(absolute),
            absoluteEnd: absolute
        )
    }

    /// The row of a new flow.
    func row(of state: FlowRunState, requestID: String?, joinKey: String?, createdAt: Int64) -> FlowRow {
        FlowRow(
            idHash: Self.hash(state.id),
            owner: state.owner,
            user: state.user,
            client: state.client,
            policy: state.policy.description,
            state: Self.encode(state),
            rev: state.rev,
            isOpen: !state.isTerminal,
            requestID: requestID,
            joinKey: joinKey,
            createdAt: createdAt,
            expires: state.ends,
            keptUntil: state.ended ?? state.ends.later(by: FlowLimits.terminalKept)
        )
    }

    private func row(of state: FlowRunState, like row: FlowRow) -> FlowRow {
        self.row(of: state, requestID: row.requestID, joinKey: row.joinKey, createdAt: row.createdAt)
    }

    private static func hash(_ id: String) -> String { Base64URL.encode(Data(SHA256.hash(data: Data(id.utf8)))) }

    private static func encode(_ state: FlowRunState) -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        do {
            return try encoder.encode(state)
        } catch {
            preconditionFailure("a flow's state is JSON: \(error)")
        }
    }

    /// The tries at a change of a flow that goes on meanwhile.
    private static let mostTries = 16
}

extension FlowRunState {
    /// The person that the flow is for, as far as that is known.
    var user: UserID? {
        if let person { return person.user }
        if let finished { return finished.user }
        if case .user(let user) = requirement.user { return user }
        return nil
    }
}
