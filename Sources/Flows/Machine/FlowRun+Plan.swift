import FlowModel
import Foundation
import Moments
import OAuth
import Policies

extension AccountEdit {
    /// The event that says that it was done.
    fileprivate var audited: AuditKind {
        switch self {
        case .password: .passwordChanged
        case .profile: .profileChanged
        }
    }
}

extension FlowRun {
    /// Begins the next kind of step; if none is left, the flow finishes.
    mutating func advance() -> [FlowEffect] {
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
        var step = OpenStep(ordinal: state.ordinal, kind: kind, check: check, ends: state.ends)
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
        let isRemembered = machine.policy.session.scope != .none && state.leavesNoSession != true
        let session = isRemembered ? state.requirement.session ?? context.derived("session") : nil
        // Of each check the newest proof is kept, so that a session does not grow by every step-up.
        let earlier = state.sessionProofs.filter { old in
            !state.proofs.contains { $0.check == old.check && $0.client == old.client }
        }
        var removed: Credential?
        if case .remove(let credential) = state.requirement.change { removed = credential }
        let finish = FinishPlan(
            user: user,
            draft: isNew ? state.draft : nil,
            authentication: Authentication(
                user: user,
                proofs: earlier + state.proofs,
                consented: state.consented,
                isNewUser: isNew
            ),
            pin: state.newPIN,
            authenticator: state.newAuthenticatorStep.map {
                NewAuthenticator(key: state.newKey, recoveryCodes: context.newRecoveryCodes, step: $0)
            },
            removed: removed,
            password: state.newPassword,
            profile: state.edited,
            device: context.provesDevice ? state.device : nil,
            session: session
        )
        state.finished = Finished(
            user: user,
            username: isNew ? state.draft?.name ?? "" : state.person?.username ?? "",
            displayName: isNew ? state.draft?.attributes["displayName"]?.string : state.person?.displayName,
            pendingRequest: state.pendingRequest,
            session: session,
            policy: state.policy,
            edit: finish.edit
        )
        var changes: [FlowEffect] = []
        if finish.pin != nil { changes.append(.audit(.credentialEnrolled, ["credential": Credential.pin.rawValue])) }
        if finish.authenticator != nil {
            changes.append(.audit(.credentialEnrolled, ["credential": Credential.totp.rawValue]))
        }
        if let removed { changes.append(.audit(.credentialRemoved, ["credential": removed.rawValue])) }
        record(.accepted)
        end(.succeeded)
        return [
            .finish(finish), .audit(isNew ? .accountCreated : .signInSucceeded, [:]),
        ] + changes + (finish.edit.map { [.audit($0.audited)] } ?? []) + [
            .audit(.flowSucceeded, ["acr": finish.authentication.acr]), .answer(.accepted),
        ]
    }

    /// Records that a check was passed, and with it every other check over its credential that this flow must prove.
    mutating func prove(_ check: Check) {
        let planned = context.plannedChecks.filter { $0.credential == check.credential }
        state.proofs += (planned.isEmpty ? [check] : planned).map {
            Proof(
                check: $0.name,
                credential: $0.credential,
                at: now.wall,
                acr: $0.acr,
                amr: $0.amr,
                // Proved before anything asks, it counts for whatever asks later.
                client: state.pendingRequest == nil ? nil : state.client
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
