import FlowModel

extension AccountEdit {
    /// The event that says that it was done.
    fileprivate var audited: AuditKind {
        switch self {
        case .password: .passwordChanged
        case .profile: .profileChanged
        }
    }
}

extension FinishPlan {
    /// The events of what it changes in the account of a known person.
    var changes: [FlowEffect] {
        var changes: [FlowEffect] = []
        if pin != nil { changes.append(.audit(.credentialEnrolled, ["credential": Credential.pin.rawValue])) }
        if authenticator != nil {
            changes.append(.audit(.credentialEnrolled, ["credential": Credential.totp.rawValue]))
        }
        if let removed { changes.append(.audit(.credentialRemoved, ["credential": removed.rawValue])) }
        if let edit { changes.append(.audit(edit.audited)) }
        return changes + links
    }
}

extension FlowRun {
    /// The rows of what the person has proved and confirmed.
    func plan(for user: UserID, isNew: Bool, session: String?) -> FinishPlan {
        // Of each check the newest proof is kept, so that a session does not grow by every step-up.
        let earlier = state.sessionProofs.filter { old in
            !state.proofs.contains { $0.check == old.check && $0.client == old.client }
        }
        var removed: Credential?
        var unlinked: String?
        switch state.requirement.change {
        case .remove(let credential): removed = credential
        case .unlink(let provider): unlinked = provider
        case .enrol, .link, nil: break
        }
        var authentication = Authentication(
            user: user,
            proofs: earlier + state.proofs,
            consented: state.consented,
            isNewUser: isNew
        )
        switch state.path {
        case .reset: authentication.isForgotPassword = true
        case .signIn, .signUp: break
        }
        return FinishPlan(
            user: user,
            draft: isNew ? state.draft : nil,
            authentication: authentication,
            pin: state.newPIN,
            authenticator: state.newAuthenticatorStep.map {
                NewAuthenticator(key: state.newKey, recoveryCodes: context.newRecoveryCodes, step: $0)
            },
            removed: removed,
            password: state.newPassword,
            profile: state.edited,
            identity: state.newIdentity,
            isLink: state.isLinking,
            unlinked: unlinked,
            session: session
        )
    }

    /// Writes what a known person has confirmed for the account, where a client is turned away at last.
    ///
    /// The answer to the client is about the client alone: a new password, PIN or authenticator that somebody was told is
    /// theirs stays so. No session is left, and the request is not met.
    func keepChanges() -> [FlowEffect] {
        guard let user = state.person?.user else { return [] }
        switch state.path {
        case .signUp: return []
        case .signIn, .reset: break
        }
        let plan = plan(for: user, isNew: false, session: nil)
        return plan.changes.isEmpty ? [] : [.finish(plan)] + plan.changes
    }
}
