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

extension Flows {
    /// Starts a flow, or finds the one that the same or an equal request has started.
    ///
    /// - Parameter request: The request.
    /// - Returns: The flow with its first step.
    /// - Throws: `OAuthError.invalidRequest` if another request had the same id within 120 s (the socket's -32602).
    ///   `Refusal`: `unknown_policy`, `blocked` if the required user's budget is used up, `limit_exceeded`,
    ///   `invalid_answer` for a value filled in that no node asks for, `unmet_authentication_requirements`.
    public func start(_ request: FlowRequest) async throws -> Started {
        let machine = try machine(for: request)
        var state = try fresh(request, machine)
        state.requestDigest = request.digest
        try machine.context(state).requirePrefill(request.prefill)
        if let before = try await standing(request) { return before }
        let knownSignOut = try await Self.rows.storing { try await store.flows.lastSignOut() }
        try await goOn(from: request.requirement.session, &state)
        try await goOn(as: request.proven, &state)
        if let step = machine.context(state).unshown(on: state.path) { throw Refusals.unsupportedStep(step) }
        let now = clock.now
        var (begun, wanted) = machine.reduce(state, .began, now: now)
        var all = wanted
        var summary = EffectSummary()
        var mailCharges: [ChargeKey] = []
        summary.take(wanted)
        while let work = summary.work {
            let result = await effects.run(work, begun, for: request.caller)
            mailCharges += result.mailCharges
            summary.settled += result.settled
            (begun, wanted) = machine.reduce(begun, .evaluated(result.finding), now: clock.now)
            all += wanted
            summary.take(wanted)
        }
        if let refusal = summary.refusal {
            // An equal call may have begun the flow meanwhile, and used up the budget that this one was refused for.
            if let before = try await standing(request) { return before }
            throw refusal
        }
        let beginning = FlowBeginning(request: request, machine: machine, now: now, knownSignOut: knownSignOut)
        if summary.finish != nil {
            let ending = FlowBeginning.Ending(state: begun, effects: all, settled: summary.settled)
            return try await openEnded(ending, from: state, beginning, mailCharges)
        }
        if let step = machine.context(begun).unshown(on: begun.path) { throw Refusals.unsupportedStep(step) }
        begun.rev = 1
        let isOpened: Bool
        let started: Started
        do {
            try await Self.rows.storing { [begun] in try await effects.requireAttempts(machine.context(begun)) }
            (started, isOpened) = try await open(begun, summary, beginning)
        } catch {
            await giveBack(mailCharges)
            throw error
        }
        if !isOpened { await giveBack(mailCharges) }
        guard isOpened, let token = request.token else { return started }
        let result = try await bring(token, to: started.flow, caller: request.caller)
        return Started(flow: result.flow, joined: false, finished: result.finished)
    }

    /// The flow that the same or an equal request has started; looked up before anything is made or charged.
    private func standing(_ request: FlowRequest) async throws -> Started? {
        guard request.requestID != nil || request.joinKey != nil else { return nil }
        let opening = try await amongOpen(of: request.caller.owner) {
            try await store.flows.standing(
                owner: request.caller.owner,
                client: request.client,
                requestID: request.requestID,
                joinKey: request.joinKey
            )
        }
        return try await started(opening, request)
    }

    /// The store's answer to a request for a flow, in which no flow counts that its policy or the time has ended.
    private func amongOpen(of owner: Owner, _ ask: () async throws -> FlowOpening?) async throws -> FlowOpening? {
        for _ in 0..<Self.mostTries {
            let opening = try await Self.rows.storing(ask)
            switch opening {
            case .opened, .replaced, .repeated, .full(.ofAll, _), nil: return opening
            case .joined(let row):
                if let stored = try await settled(row), !stored.state.isTerminal { return opening }
            case .full(.ofOwner, _):
                let rows = try await Self.rows.storing { try await store.flows.list(owner: owner) }
                if try await open(of: owner).count == rows.count { return opening }
            }
        }
        throw Refusals.submissionInProgress
    }

    /// Gives back the charges of a mail that is not sent.
    func giveBack(_ charges: [ChargeKey]) async {
        do {
            try await effects.attempts.giveBack(charges)
        } catch {
            logger.warning("the charge of a mail was not given back", metadata: ["error": "\(error)"])
        }
    }

    private func machine(for request: FlowRequest) throws -> FlowMachine {
        let catalogue = catalogue()
        guard let policy = catalogue[request.policy] else {
            if let missing = catalogue.unavailable[request.policy]?.missing {
                throw Refusal(.unknownPolicy, missing)
            }
            throw Refusal(.unknownPolicy, "there is no policy of this name")
        }
        if let id = request.requestID, !(1...FlowLimits.idLength).contains(id.unicodeScalars.count) {
            throw Refusal(.invalidAnswer, "a requestId has 1 to \(FlowLimits.idLength) characters")
        }
        let signsUp = policy.kind == .signUp || request.requirement.entrance == .create
        if signsUp, request.requirement.session == nil {
            guard policy.kind.signsUp else { throw Refusals.makesNoAccount }
            if case .user = request.requirement.user { throw Refusals.makesNoAccount }
            switch signUp() {
            case .open: break
            case .invited: guard policy.signInName != .username else { throw Refusals.provesNoInvitation }
            case .closed: throw Refusals.signUpClosed
            }
        }
        return FlowMachine(
            policy: policy,
            catalogue: catalogue,
            runner: runs.own,
            today: CalendarDay(secondsSince1970: clock.now.seconds),
            isLive: runs.contains,
            signUp: signUp(),
            outbox: outbox,
            providerName: providerName
        )
    }

    private func fresh(_ request: FlowRequest, _ machine: FlowMachine) throws -> FlowRunState {
        let policy = machine.policy
        let provider = request.provider.flatMap(policy.provider)
        if request.provider != nil, provider == nil { throw Refusals.noSuchProvider(policy) }
        let isCreated = machine.policy.kind == .signUp || request.requirement.entrance == .create
        // A provider knows itself who is new.
        let signsUp = isCreated && policy.isLocal && provider == nil
        // The way to a provider needs no steps of the caller's program: a browser goes, or the token was brought.
        let presentation = request.caller.presentation
        return FlowRunState(
            id: "fl_" + Base64URL.encode(Self.random(16)),
            seed: Data(Self.random(32)),
            owner: request.caller.owner,
            begunAt: request.caller.origin,
            leavesNoSession: !request.leavesSession || request.proven != nil,
            client: request.client,
            policy: machine.policy.id,
            policyDigest: machine.policy.digest,
            requirement: request.requirement,
            want: request.want,
            pendingRequest: request.pending?.id,
            ends: Deadline(FlowLimits.flowLife, after: clock.now),
            path: Self.path(machine.policy.kind, signsUp: signsUp && request.requirement.session == nil),
            prefill: request.prefill,
            provider: provider,
            isBrought: request.token == nil ? nil : true,
            device: request.device ?? Self.device(of: request.caller.owner),
            presentation: provider == nil ? presentation : presentation.withProviders
        )
    }

    /// The device of an owner: a uid of a machine is one, and a browser names its own.
    private static func device(of owner: Owner) -> String? {
        switch owner {
        case .local: owner.key
        case .browser: nil
        }
    }

    /// The way through a policy of a kind.
    static func path(_ kind: PolicyKind, signsUp: Bool) -> FlowRunState.Path {
        switch kind {
        case .passwordReset: .reset
        case .signUp, .signIn, .signUpOrSignIn, .social, .stepUp, .profileEdit: signsUp ? .signUp : .signIn
        }
    }

    /// Takes over the proofs of a live session, as far as they are recent enough.
    private func goOn(from session: String?, _ state: inout FlowRunState) async throws {
        guard let session else { return }
        let owner = state.owner
        let live = try await Self.rows.storing { try await store.sessions.live(owner: owner) }
        guard let row = live.first(where: { $0.id == session }) else { throw Refusals.sessionEnded }
        let user = try await Self.rows.storing { try await store.users.get(row.user) }
        guard let user, user.enabled else { throw Refusals.sessionEnded }
        let demand = state.requirement.demand
        state.person = ProvenPerson(user)
        state.sessionProofs = row.proofs.filter { demand.isRecent($0.provedAt, at: clock.now) }
    }

    /// Takes over the person whom the caller's place has just proved.
    private func goOn(as user: UserID?, _ state: inout FlowRunState) async throws {
        guard let user else { return }
        let person = try await Self.rows.storing { try await store.users.get(user) }
        guard let person, person.enabled else { throw Refusals.sessionEnded }
        state.person = ProvenPerson(person)
        state.isProven = true
    }

    func open(
        _ state: FlowRunState,
        _ summary: EffectSummary,
        _ beginning: FlowBeginning
    ) async throws -> (Started, isOpened: Bool) {
        let (request, machine) = (beginning.request, beginning.machine)
        var row = row(of: state, beginning)
        row.origin = state.origin.levels
        let mails = summary.mails.map(machine.context(state).texts.mail)
        let caps = FlowCaps(perOwner: limits.perOwner, total: limits.total)
        let opening = try await amongOpen(of: row.owner) {
            try await store.flows.open(
                row,
                pending: request.pending,
                mails: mails,
                events: state.events(summary.audit, request.caller),
                limits: caps
            )
        }
        if let before = try await started(opening, request) { return (before, false) }
        if opening == .replaced { changes.changedAll() }
        if !mails.isEmpty { mailQueued() }
        return (Started(flow: try await shown(state, by: machine), joined: false), true)
    }

    /// The flow that existed already; nil if a new one was opened.
    private func started(_ opening: FlowOpening?, _ request: FlowRequest) async throws -> Started? {
        switch opening {
        case .opened, .replaced, nil: return nil
        case .repeated(let row):
            guard let before = try await settled(row) else { throw Refusals.flowNotFound }
            guard before.state.requestDigest == request.digest else {
                throw OAuthError.invalidRequest("The requestId was used for another request")
            }
            return Started(flow: try await shown(before, to: request.caller), joined: false)
        case .joined(let row):
            guard let before = try await settled(row) else { throw Refusals.flowNotFound }
            return Started(flow: try await shown(before, to: request.caller), joined: true)
        case .full(let limit, let retryAfterMs): throw Refusals.tooManyFlows(limit, retryAfterMs: retryAfterMs)
        }
    }

    /// A flow that another call has started, if this caller's program shows its step.
    private func shown(_ stored: StoredFlow, to caller: Caller) async throws -> Flow {
        let flow = try await shown(stored)
        if let step = flow.step, !caller.presentation.shows(step.type) { throw Refusals.unsupportedStep(step.type) }
        return flow
    }

    private static func random(_ count: Int) -> [UInt8] {
        var generator = SystemRandomNumberGenerator()
        return (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
    }
}

extension FlowContext {
    /// Refuses values that no node asks for, and secrets.
    func requirePrefill(_ prefill: [String: JSONValue]) throws {
        let names = Set(["username"] + policy.attributes.filter { !$0.isShown }.map(\.name))
        let problems = prefill.keys.filter { !names.contains($0) }.sorted().prefix(FlowLimits.answerFields).map {
            let name = String($0.prefix(FlowLimits.idLength))
            return NodeProblem(name: name, code: .unknown, text: texts[.notFilledIn, ["label": name]])
        }
        guard problems.isEmpty else { throw Refusals.invalidAnswer(Array(problems)) }
        do {
            _ = try Answers(prefill, to: [], texts)
        } catch {
            if case .malformed(let problems) = error { throw Refusals.invalidAnswer(problems) }
        }
    }
}
