import FlowModel
import Foundation
import Moments
import OAuth
import Policies

extension FlowRun {
    /// Begins the next kind of step; if none is left, the flow finishes.
    mutating func advance() -> [FlowEffect] {
        if let connector = context.dueConnector { return [.evaluate(.connector(connector))] }
        if let question = context.secondFactorQuestion { return [.evaluate(question)] }
        for kind in StepKinds.all {
            if let effects = kind.begin(&self) { return effects }
        }
        return context.nextCheck == nil ? finish() : fail(.internal)
    }

    /// Opens a step of a kind.
    mutating func open(
        _ kind: any StepKind,
        check: String? = nil,
        ends: Deadline? = nil,
        messages: [Message] = []
    ) -> [FlowEffect] {
        let isAnswer = state.evaluating != nil
        record(.next)
        state.state = .challenge
        state.ordinal += 1
        state.rev += 1
        var step = OpenStep(ordinal: state.ordinal, kind: kind, check: check, at: now, ends: state.ends)
        step.ends = ends ?? Deadline(kind.lifetime(step, machine), after: now).earlier(state.ends)
        step.messages = messages
        state.step = step
        return isAnswer ? [.answer(.next)] : []
    }

    private mutating func finish() -> [FlowEffect] {
        let isNew = state.path == .signUp
        if isNew, machine.signUp == .closed { return fail(.denied) }
        if isNew { proveDraft() }
        guard let user = isNew ? context.derivedUser : state.person?.user else {
            return fail(.internal)
        }
        let session = context.leavesSession ? state.requirement.session ?? context.derived("session") : nil
        var finish = plan(for: user, isNew: isNew, session: session)
        finish.device = context.provesDevice ? state.device : nil
        state.finished = FlowOutcome(
            user: user,
            username: isNew ? state.draft?.name ?? "" : state.person?.username ?? "",
            displayName: isNew ? state.draft?.attributes["displayName"]?.string : state.person?.displayName,
            pendingRequest: state.pendingRequest,
            session: session,
            policy: state.policy,
            edit: finish.edit,
            userIdentity: state.proofs.last { $0.identity != nil }?.identity,
            provider: state.proofs.last { $0.credential == .federated }?.check
        )
        record(.accepted)
        end(.succeeded)
        // Somebody whom the place that began the flow knew already has not signed in by it.
        let entered: [FlowEffect] =
            state.isProven == true ? [] : [.audit(isNew ? .accountCreated : .signInSucceeded, [:])]
        return [.finish(finish)] + entered + finish.changes + [
            .audit(.flowSucceeded, ["acr": finish.authentication.acr]), .answer(.accepted),
        ]
    }

    /// Records that a check was passed, and with it every other check over its credential that this flow must prove.
    mutating func prove(_ check: Check, identity: ExternalIdentity? = nil) {
        let planned = context.plannedChecks.filter { $0.credential == check.credential }
        state.proofs += (planned.isEmpty ? [check] : planned).map {
            Proof(
                check: $0.name,
                credential: $0.credential,
                at: now.wall,
                acr: $0.acr,
                amr: $0.amr,
                // Proved before anything asks, it counts for whatever asks later.
                client: state.pendingRequest == nil ? nil : state.client,
                identity: identity,
                isRemembered: context.remembers($0) ? true : nil
            )
        }
    }

    /// Records the proofs that making a new account gives.
    private mutating func proveDraft() {
        for credential in state.draft?.credentials ?? [] {
            if let check = context.plannedChecks.first(where: { $0.credential == credential }) {
                prove(check)
            }
        }
    }
}
