import Attempts
import AuthorityStore
public import FlowModel
import Moments
public import OAuth
public import Policies
import Storage
import StoreRefusals

extension Flows {
    /// The question by which a person who is signed in changes the password, outside of any flow.
    ///
    /// - Parameter policy: The policy whose rule the new password follows.
    /// - Returns: The question; nil if the policy knows no password.
    public func passwordChange(_ policy: Policy) -> Step? {
        guard passwordCheck(policy) != nil else { return nil }
        let texts = texts(policy)
        return Step(
            id: AccountEdit.password.rawValue,
            type: .passwordChange,
            title: texts[.passwordChangeTitle],
            nodes: [oldPassword(texts), AttributesStep.passwordNode("newPassword", policy.password, texts)]
        )
    }

    private func oldPassword(_ texts: Texts) -> Node {
        Node(
            name: "password",
            kind: .secret,
            label: texts[.oldPassword],
            required: true,
            minLength: 1,
            maxLength: FlowLimits.passwordLength
        )
    }

    /// Changes a person's password.
    ///
    /// The old one is charged and compared as at a sign-in, the new one follows the policy's rule as at a sign-up.
    /// Afterwards everything of the person has ended but the sessions of the caller.
    ///
    /// - Parameters:
    ///   - answers: The answers to ``passwordChange(_:)``.
    ///   - user: The person.
    ///   - policy: The policy.
    ///   - caller: The browser in which the person is signed in.
    /// - Throws: `Refusal`: `invalidAnswer` with the problems of the answers, `blocked` if no attempt is left.
    public func changePassword(
        _ answers: [String: JSONValue],
        of user: UserID,
        policy: Policy,
        _ caller: Caller
    ) async throws {
        guard let check = passwordCheck(policy) else { throw Refusal(.notPermitted, "there is no password to change") }
        let (old, new) = try typed(answers, policy)
        let record = try await Self.rows.storing { try await store.users.get(user) }
        guard let record, record.enabled, let stored = record.passwordHash else {
            throw Refusal(.accountNotFound, "this account has no password")
        }
        let verified = await effects.withTimeout { [effects] in
            try await VerifyPassword(effects: effects).run(record.username, old, check, origin: caller.origin)
        }
        guard case .right = verified.finding else { throw try await refusal(verified.finding, user, policy, caller) }
        let hashed = await effects.withTimeout { [effects] in
            try await HashPassword(effects: effects).run(new, mailTo: nil, origin: caller.origin)
        }
        guard case .hashed(let hash) = hashed.finding else {
            try await effects.attempts.giveBack(verified.settled)
            throw try await refusal(hashed.finding, user, policy, caller)
        }
        do {
            try await store.users.changePassword(
                of: user,
                from: stored,
                to: Secret(bytes: hash),
                keeping: caller.owner,
                settled: verified.settled,
                events: [AuditEvent(.passwordChanged, by: caller, user: user)]
            )
        } catch  where error.code == .conflict {
            throw Refusals.invalidAnswer([wrong(policy)])
        } catch {
            throw Self.rows.refusal(error)
        }
        await changes.edited(.password, of: user)
    }

    private func typed(_ answers: [String: JSONValue], _ policy: Policy) throws(Refusal) -> (old: Secret, new: Secret) {
        do throws(Answers.Refused) {
            var answers = try Answers(answers, to: passwordChange(policy)?.nodes ?? [], texts(policy))
            let old = answers.text("password", most: FlowLimits.passwordLength)
            let new = answers.newPassword(
                "newPassword",
                policy.password,
                on: CalendarDay(secondsSince1970: clock.now.seconds)
            )
            try answers.finish()
            guard let old, let new else { throw .malformed([]) }
            return (Secret(old), new)
        } catch {
            throw error.refusal
        }
    }

    /// The refusal that follows from an evaluation, after a wrong answer is in the audit.
    private func refusal(
        _ finding: EvaluationResult,
        _ user: UserID,
        _ policy: Policy,
        _ caller: Caller
    ) async throws -> Refusal {
        let failed = AuditEvent(
            .signInFailed,
            by: caller,
            user: user,
            detail: ["step": StepType.passwordChange.rawValue]
        )
        switch finding {
        case .refused(let refusal): return refusal
        case .wrong:
            try await Self.rows.storing { try await store.audit.append([failed]) }
            return Refusals.invalidAnswer([wrong(policy)])
        case .exhausted(let retryAfterMs):
            try await Self.rows.storing { try await store.audit.append([failed]) }
            return Refusal(.blocked, "too many wrong answers").retrying(afterMs: retryAfterMs)
        case .right, .consent, .enrolled, .secondFactor, .profile, .hashed, .codeMade, .identified, .realm, .connector,
            .nameTaken:
            return Refusals.storageFailed("an evaluation of a password found something else")
        }
    }

    private func wrong(_ policy: Policy) -> NodeProblem {
        let texts = texts(policy)
        return texts.problem(.wrong, of: oldPassword(texts))
    }

    private func passwordCheck(_ policy: Policy) -> Check? {
        catalogue().ordered(policy.baseChecks).first { $0.type == .password }
    }

    private func texts(_ policy: Policy) -> Texts {
        Texts(for: [policy.language, .english].compactMap { $0 }, of: policy)
    }
}
