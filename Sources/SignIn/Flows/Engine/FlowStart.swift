import Attempts
import AuthorityStore
import FlowModel
import Foundation
import Logging
import Moments
import OAuth
import Policies
import Storage
import StoreRefusals

/// The operation that starts one flow, and stores nothing until the flow's first step or its outcome is known.
struct FlowStart: Sendable {
    let request: FlowRequest
    let engine: FlowEngine
    private let machine: FlowMachine

    private var rows: FlowRows { engine.rows }
    private var owner: Owner { request.caller.owner }

    /// Checks a request, and throws a `Refusal` if the policy is unknown or cannot satisfy the request.
    init(_ request: FlowRequest, engine: FlowEngine) throws {
        self.request = request
        self.engine = engine
        let (rows, catalogue) = (engine.rows, engine.rows.catalogue())
        guard let policy = catalogue[request.policy] else {
            if let missing = catalogue.unavailable[request.policy]?.missing {
                throw Refusal(.unknownPolicy, missing)
            }
            throw Refusal(.unknownPolicy, Text("refusal.noPolicyOfName"))
        }
        if let id = request.requestID, !(1...FlowLimits.idLength).contains(id.unicodeScalars.count) {
            throw Refusal(.invalidAnswer, Text("refusal.requestIDLength", ["max": FlowLimits.idLength]))
        }
        machine = rows.machine(policy, of: catalogue)
        if request.creates(by: policy), request.requirement.session == nil {
            guard policy.kind.signsUp else { throw Refusals.makesNoAccount }
            if case .user = request.requirement.user { throw Refusals.makesNoAccount }
            switch machine.signUp {
            case .open: break
            case .invited: guard policy.signInName != .username else { throw Refusals.provesNoInvitation }
            case .closed: throw Refusals.signUpClosed
            }
        }
    }

    func started() async throws -> Started {
        var fresh = try fresh()
        try machine.view(fresh).requirePrefill(request.prefill)
        if let before = try await standing() { return before }
        let knownSignOut = try await FlowRows.refusals.storing { try await rows.store.flows.lastSignOut() }
        try await goOn(&fresh)
        if let step = machine.plan(fresh).unshown(on: fresh.known.path) { throw Refusals.unsupportedStep(step) }
        let now = rows.clock.now
        let first = machine.reduce(fresh, .began, now: now)
        let begun = await rows.evaluator.run(first, by: machine, for: request.caller)
        if let refusal = begun.transition.refusal {
            // In the meantime, an equivalent request could have started the flow and caused this refusal.
            if let before = try await standing() { return before }
            throw refusal
        }
        let moment = (now: now, knownSignOut: knownSignOut)
        if begun.transition.record.outcome != nil { return try await openEnded(begun, from: fresh, at: moment) }
        let (started, isOpened) = try await openAsking(begun, at: moment)
        guard isOpened, let token = request.token else { return started }
        let result = try await engine.bring(token, to: started.flow, caller: request.caller)
        return Started(flow: result.flow, joined: false, finished: result.finished)
    }

    /// The time at which the flow started, and the number of the last sign-out before the user's data was read.
    private typealias Beginning = (now: Moment, knownSignOut: Int64)

    /// Returns the flow that the same request or an equivalent request has already started, or `nil` if there is none.
    ///
    /// Call this method before anything is created or charged.
    private func standing() async throws -> Started? {
        guard request.requestID != nil || request.joinKey != nil else { return nil }
        let opening = try await amongOpen {
            try await rows.store.flows.standing(
                owner: owner,
                client: request.client,
                requestID: request.requestID,
                joinKey: request.joinKey
            )
        }
        return try await existing(opening)
    }

    /// Returns the result of a query for open flows.
    ///
    /// Found flows that have expired or whose policy has changed are ended, and the query is then repeated.
    private func amongOpen(_ ask: () async throws -> FlowOpening?) async throws -> FlowOpening? {
        for _ in 0..<FlowRows.mostTries {
            let opening = try await FlowRows.refusals.storing(ask)
            switch opening {
            case .opened, .replaced, .repeated, .full(.ofAll, _), nil: return opening
            case .joined(let row):
                if let stored = try await rows.settled(row), !stored.record.isEnded { return opening }
            case .full(.ofOwner, _):
                let all = try await FlowRows.refusals.storing { try await rows.store.flows.list(owner: owner) }
                if try await rows.open(of: owner).count == all.count { return opening }
            }
        }
        throw Refusals.submissionInProgress
    }

    private func fresh() throws -> FlowRecord {
        let policy = machine.policy
        let provider = request.provider.flatMap(policy.provider)
        if request.provider != nil, provider == nil { throw Refusals.noSuchProvider(policy) }
        // The provider's response determines whether the user is new.
        let signsUp = request.creates(by: policy) && policy.isLocal && provider == nil
        // The caller's program does not show provider steps: the user visits the provider, or the caller has sent a
        // token.
        let presentation = request.caller.presentation
        let order = FlowOrder(
            id: "fl_" + Base64URL.encode(Self.random(16)),
            seed: Data(Self.random(32)),
            owner: owner,
            begunAt: request.caller.origin,
            begunBeside: request.caller.cookieOwner,
            client: request.client,
            policy: policy,
            requirement: request.requirement,
            want: request.want,
            pendingRequest: request.pending?.id,
            ends: Deadline(FlowLimits.flowLife, after: rows.clock.now),
            leavesSession: request.leavesSession && request.proven == nil,
            bringsToken: request.token != nil,
            isAuthenticated: request.proven != nil,
            device: request.device ?? Self.device(of: owner),
            requestDigest: request.digest,
            presentation: provider == nil ? presentation : presentation.withProviders
        )
        let path = FlowFacts.Path(policy.kind, signsUp: signsUp && request.requirement.session == nil)
        return FlowRecord(
            order: order,
            phase: .evaluating(machine.claim("", now: rows.clock.now), over: nil),
            known: FlowFacts(path: path, provider: provider),
            inHand: InHand(prefill: request.prefill)
        )
    }

    private static func device(of owner: Owner) -> String? {
        switch owner {
        case .local: owner.key
        case .browser: nil
        }
    }

    /// Adds the user of an existing session, or the user that was authenticated before the flow started.
    private func goOn(_ record: inout FlowRecord) async throws {
        let store = rows.store
        if let session = request.requirement.session {
            let live = try await FlowRows.refusals.storing { try await store.sessions.live(owner: owner) }
            guard let row = live.first(where: { $0.id == session }) else { throw Refusals.sessionEnded }
            record.known.person = try await person(row.user)
            let (demand, now) = (request.requirement.demand, rows.clock.now)
            record.known.sessionProofs = row.proofs.filter { demand.isRecent($0.provedAt, at: now) }
        }
        if let user = request.proven { record.known.person = try await person(user) }
    }

    private func person(_ user: UserID) async throws -> ProvenPerson {
        let record = try await FlowRows.refusals.storing { try await rows.store.users.get(user) }
        guard let record, record.enabled else { throw Refusals.sessionEnded }
        return ProvenPerson(record)
    }

    /// Opens a flow with its first step, and refunds the charges for e-mail messages if the flow cannot be opened.
    private func openAsking(_ begun: EvaluatedFlow, at beginning: Beginning) async throws -> (Started, isOpened: Bool) {
        var transition = begun.transition
        if let step = machine.plan(transition.record).unshown(on: transition.record.known.path) {
            throw Refusals.unsupportedStep(step)
        }
        transition.record.history.revision = 1
        do {
            let view = machine.view(transition.record)
            try await FlowRows.refusals.storing { try await rows.evaluator.requireAttempts(view) }
            let (started, isOpened) = try await open(transition, at: beginning)
            if !isOpened { await rows.giveBack(begun.mailCharges) }
            return (started, isOpened)
        } catch {
            await rows.giveBack(begun.mailCharges)
            throw error
        }
    }

    /// Opens a flow that needs no prompt, and writes its outcome as if an answer had completed the flow.
    ///
    /// The flow is written first, so that an equivalent request finds it and a sign-out ends it.
    private func openEnded(
        _ ended: EvaluatedFlow,
        from fresh: FlowRecord,
        at beginning: Beginning
    ) async throws -> Started {
        try await engine.uncancelled {
            do {
                let claimed = machine.claimed(fresh, now: rows.clock.now)
                var first = Transition(record: claimed)
                first.audit = ended.transition.audit.filter { $0.kind == .flowStarted }
                let (started, isOpened) = try await open(first, at: beginning)
                if isOpened { return try await end(ended, over: claimed, at: beginning) }
                await rows.giveBack(ended.mailCharges)
                return started
            } catch {
                await rows.giveBack(ended.mailCharges)
                throw error
            }
        }
    }

    private func end(
        _ ended: EvaluatedFlow,
        over claimed: FlowRecord,
        at beginning: Beginning
    ) async throws -> Started {
        let (id, caller) = (claimed.order.id, request.caller)
        let row = row(of: claimed, at: beginning)
        let rev = claimed.history.revision
        let stored = StoredFlow(row: row, rev: rev, record: claimed, machine: machine, readAt: rows.clock.now)
        var last = ended.transition
        last.record.history.revision = rev + 1
        last.audit.removeAll { $0.kind == .flowStarted }
        do {
            let record = try await rows.write(last, over: stored, settled: ended.settled, caller)
            if record != last.record { await rows.giveBack(ended.mailCharges) }
            let flow = try await rows.shown(record, by: machine)
            return Started(flow: flow, joined: false, finished: record.outcome)
        } catch is Conflict {
            throw Refusals.flowFinished(try await rows.load(id, owner: owner).record.state)
        } catch {
            _ = try? await engine.cancel(id, caller: caller, reason: "its outcome could not be written")
            throw error
        }
    }

    private func open(_ transition: Transition, at beginning: Beginning) async throws -> (Started, isOpened: Bool) {
        let record = transition.record
        var row = row(of: record, at: beginning)
        row.origin = record.origin.levels
        let mails = machine.view(record).mails(transition.mails, from: record.origin, at: rows.clock.now)
        let caps = FlowCaps(perOwner: engine.limits.perOwner, total: engine.limits.total)
        let opening = try await amongOpen { [row] in
            try await rows.store.flows.open(
                row,
                pending: request.pending,
                mails: mails,
                events: record.events(transition.audit, request.caller),
                limits: caps
            )
        }
        if let before = try await existing(opening) { return (before, false) }
        if opening == .replaced { rows.changes.changedAll() }
        if !mails.isEmpty { rows.mailQueued() }
        return (Started(flow: try await rows.shown(record, by: machine), joined: false), true)
    }

    private func row(of record: FlowRecord, at beginning: Beginning) -> FlowRow {
        var row = rows.row(
            of: record,
            requestID: request.requestID,
            joinKey: request.joinKey,
            createdAt: beginning.now.wall
        )
        row.knownSignOut = beginning.knownSignOut
        return row
    }

    private func existing(_ opening: FlowOpening?) async throws -> Started? {
        switch opening {
        case .opened, .replaced, nil: return nil
        case .repeated(let row):
            guard let before = try await rows.settled(row) else { throw Refusals.flowNotFound }
            guard before.record.order.requestDigest == request.digest else {
                throw InvalidParameters(Text("refusal.requestIDUsed"))
            }
            return Started(flow: try await shown(before), joined: false)
        case .joined(let row):
            guard let before = try await rows.settled(row) else { throw Refusals.flowNotFound }
            return Started(flow: try await shown(before), joined: true)
        case .full(let limit, let retryAfterMs): throw Refusals.tooManyFlows(limit, retryAfterMs: retryAfterMs)
        }
    }

    /// Returns a flow that another call has started, or throws if this caller's program cannot show its open step.
    private func shown(_ stored: StoredFlow) async throws -> Flow {
        let flow = try await rows.shown(stored)
        if let step = flow.step, !request.caller.presentation.shows(step.type) {
            throw Refusals.unsupportedStep(step.type)
        }
        return flow
    }

    private static func random(_ count: Int) -> [UInt8] {
        var generator = SystemRandomNumberGenerator()
        return (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
    }
}

extension FlowRequest {
    fileprivate func creates(by policy: Policy) -> Bool { policy.kind == .signUp || requirement.entrance == .create }
}

extension FlowFacts.Path {
    init(_ kind: PolicyKind, signsUp: Bool) {
        switch kind {
        case .passwordReset: self = .reset
        case .signUp, .signIn, .signUpOrSignIn, .social, .stepUp, .profileEdit: self = signsUp ? .signUp : .signIn
        }
    }
}
