import FlowModel
import Foundation
import Moments
import OAuth
import Policies

extension FlowMachine {
    /// Begins the next kind of step; if none is left, the flow finishes.
    func advance(_ state: inout FlowRunState, now: Moment) -> [FlowEffect] {
        for kind in StepKinds.all {
            if let effects = kind.begin(self, &state, now: now) { return effects }
        }
        return nextCheck(state) == nil ? finish(&state, now: now) : fail(&state, .internal, now: now)
    }

    /// Opens a step of a kind.
    func open(
        _ state: inout FlowRunState,
        _ kind: any StepKind,
        check: String? = nil,
        ends: Deadline? = nil,
        messages: [Message] = [],
        now: Moment
    ) -> [FlowEffect] {
        let isAnswer = state.evaluating != nil
        record(&state, .next)
        state.state = .challenge
        state.ordinal += 1
        state.rev += 1
        var step = OpenStep(ordinal: state.ordinal, kind: kind, check: check, ends: state.ends)
        step.ends = ends ?? Deadline(kind.lifetime(self, step), after: now).earlier(state.ends)
        step.messages = messages
        state.step = step
        return isAnswer ? [.answer(.next)] : []
    }

    /// The first check that a flow still has to prove.
    func nextCheck(_ state: FlowRunState) -> Check? {
        plannedChecks(state).first { !isMet($0, state) }
    }

    /// True for a check that needs no further question.
    ///
    /// Its credential was proved in this flow or is made by it, or the session had proved it and the requirement does
    /// not ask for it again.
    private func isMet(_ check: Check, _ state: FlowRunState) -> Bool {
        if state.proves(check.credential) { return true }
        if !state.requirement.checks.contains(check.name),
            state.sessionProofs.contains(where: { $0.credential == check.credential })
        {
            return true
        }
        return state.path == .signUp && state.draft?.credentials.contains(check.credential) == true
    }

    /// The first step that a flow on this path may open and its program does not show; nil if it shows them all.
    func unshown(_ state: FlowRunState, on path: FlowRunState.Path) -> StepType? {
        let presentation = state.presentation ?? Presentation()
        return mayOpen(state, on: path).first { !presentation.shows($0) }
    }

    /// The kinds of steps that a flow on this path may open.
    private func mayOpen(_ state: FlowRunState, on path: FlowRunState.Path) -> [StepType] {
        var steps: [StepType] = []
        var checks = plannedChecks(state).filter { !isMet($0, state) }
        switch path {
        case .signUp:
            steps.append(.attributes)
            if verifiesAddress(state) { steps.append(.code) }
            checks.removeAll { $0.credential == .password }
        case .signIn where state.person == nil && checks.first?.type == .emailCode: steps.append(.identifier)
        case .signIn: break
        }
        steps += checks.flatMap { check in StepKinds.all.filter { $0.checkType == check.type }.map(\.type) }
        return state.requirement.consent == nil ? steps : steps + [.consent]
    }

    private func finish(_ state: inout FlowRunState, now: Moment) -> [FlowEffect] {
        let isNew = state.path == .signUp
        if isNew, signUp == .closed { return fail(&state, .denied, now: now) }
        if isNew { proveDraft(&state, now: now) }
        guard let user = isNew ? derivedUser(state) : state.person?.user else {
            return fail(&state, .internal, now: now)
        }
        let isRemembered = policy.session.scope != .none && state.leavesNoSession != true
        let session = isRemembered ? state.requirement.session ?? derived(state, "session") : nil
        let finish = FinishPlan(
            user: user,
            draft: isNew ? state.draft : nil,
            authentication: Authentication(
                user: user,
                proofs: state.sessionProofs + state.proofs,
                consented: state.consented,
                isNewUser: isNew
            ),
            session: session
        )
        state.finished = Finished(
            user: user,
            username: isNew ? state.draft?.name ?? "" : state.person?.username ?? "",
            displayName: isNew ? state.draft?.attributes["displayName"]?.string : state.person?.displayName,
            pendingRequest: state.pendingRequest,
            session: session,
            policy: state.policy
        )
        record(&state, .accepted)
        end(&state, .succeeded, now: now)
        return [
            .finish(finish), .audit(isNew ? .accountCreated : .signInSucceeded, [:]),
            .audit(.flowSucceeded, ["acr": finish.authentication.acr]), .answer(.accepted),
        ]
    }

    /// Records that a check was passed, and with it every other check over its credential that this flow must prove.
    func prove(_ state: inout FlowRunState, _ check: Check, now: Moment) {
        let planned = plannedChecks(state).filter { $0.credential == check.credential }
        state.proofs += (planned.isEmpty ? [check] : planned).map {
            Proof(check: $0.name, credential: $0.credential, at: now.wall, acr: $0.acr, amr: $0.amr)
        }
    }

    /// Records the proofs that making a new account gives.
    private func proveDraft(_ state: inout FlowRunState, now: Moment) {
        for credential in state.draft?.credentials ?? [] {
            if let check = plannedChecks(state).first(where: { $0.credential == credential }) {
                prove(&state, check, now: now)
            }
        }
    }
}
