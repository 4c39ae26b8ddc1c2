import Attempts
public import AuthorityStore
public import FlowModel
import Foundation
import Moments
public import OAuth
public import Policies
import Storage
import StoreRefusals

/// An editor for the changes that signed-in users make to their accounts outside of any flow.
public struct AccountEditor: Sendable {
    let rows: FlowRows

    var store: AuthorityStore { rows.store }
    private var evaluator: Evaluator { rows.evaluator }

    /// Returns the step for changing the user's password, or `nil` if the policy does not use passwords.
    public func passwordChange(_ policy: Policy) -> Step? {
        guard passwordCheck(policy) != nil else { return nil }
        let texts = texts(policy)
        return Step(
            id: AccountEdit.password.rawValue,
            type: .passwordChange,
            title: texts[.passwordChangeTitle],
            nodes: [oldPassword(texts), NewPasswordStep.node("newPassword", policy.password, texts)]
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

    /// Changes a user's password, given the answers to ``passwordChange(_:)``.
    ///
    /// An attempt is charged as for a sign-in. All the user's sessions, tokens and flows end, except the caller's
    /// sessions.
    ///
    /// - Throws: A `Refusal` with the reason `invalid_answer` and the problems in the answers, or `blocked` if no
    ///   attempt is left.
    public func changePassword(
        _ answers: [String: JSONValue],
        of user: UserID,
        policy: Policy,
        _ caller: Caller
    ) async throws {
        guard let check = passwordCheck(policy) else {
            throw Refusal(.notPermitted, Text("refusal.noPasswordToChange"))
        }
        let (old, new) = try typed(answers, policy)
        let record = try await FlowRows.refusals.storing { try await store.users.get(user) }
        guard let record, record.enabled, let stored = record.passwordHash else {
            throw Refusal(.accountNotFound, Text("refusal.noPassword"))
        }
        let verified = await evaluator.withTimeout { [evaluator] in
            let password = PasswordCredential()
            return try await evaluator.run(
                try await password.verify(old, of: record.username, check, origin: caller.origin, evaluator)
            )
        }
        guard case .right = verified.finding else { throw try await refusal(verified.finding, user, policy, caller) }
        let hashed = await evaluator.withTimeout { [evaluator] in
            try await evaluator.run(try await evaluator.hash(new, origin: caller.origin))
        }
        guard case .hashed(let hash) = hashed.finding else {
            try await evaluator.attempts.giveBack(verified.settled.charges)
            throw try await refusal(hashed.finding, user, policy, caller)
        }
        do {
            try await store.users.changePassword(
                of: user,
                from: stored,
                to: Secret(bytes: hash),
                keeping: caller.owner,
                settled: verified.settled.charges,
                events: [AuditEvent(.passwordChanged, by: caller, user: user)]
            )
        } catch  where error.code == .conflict {
            throw Refusals.invalidAnswer([wrong(policy)])
        } catch {
            throw FlowRows.refusals.refusal(error)
        }
        await rows.changes.edited(.password, of: user)
    }

    private func typed(_ answers: [String: JSONValue], _ policy: Policy) throws(Refusal) -> (old: Secret, new: Secret) {
        do throws(Answers.Refused) {
            var answers = try Answers(answers, to: passwordChange(policy)?.nodes ?? [], texts(policy))
            let old = answers.text("password", most: FlowLimits.passwordLength)
            let new = answers.newPassword(
                "newPassword",
                policy.password,
                on: CalendarDay(secondsSince1970: rows.clock.now.seconds)
            )
            try answers.finish()
            guard let old, let new else { throw .malformed([]) }
            return (Secret(old), new)
        } catch {
            throw error.refusal
        }
    }

    /// Returns the refusal for an unsuccessful evaluation, and adds an audit event if the answer was wrong.
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
            try await FlowRows.refusals.storing { try await store.audit.append([failed]) }
            return Refusals.invalidAnswer([wrong(policy)])
        case .exhausted(let retryAfterMs):
            try await FlowRows.refusals.storing { try await store.audit.append([failed]) }
            return Refusal(.blocked, Text("refusal.tooManyWrongAnswers")).retrying(afterMs: retryAfterMs)
        case .right, .consent, .enrolled, .secondFactor, .profile, .hashed, .addressAccepted, .codeMade, .identified,
            .realm, .connector:
            return Refusals.storageFailed("a password evaluation returned an unexpected result")
        }
    }

    private func wrong(_ policy: Policy) -> NodeProblem {
        let texts = texts(policy)
        return texts.problem(.wrong, of: oldPassword(texts))
    }

    private func passwordCheck(_ policy: Policy) -> Check? {
        rows.catalogue().ordered(policy.baseChecks).first { $0.type == .password }
    }

    private func texts(_ policy: Policy) -> Texts {
        Texts(for: [policy.language, .english].compactMap { $0 }, of: policy)
    }

    /// Returns the step for changing the user's attributes, prefilled with the attributes of `person`.
    public func profileChange(_ policy: Policy, of person: UserRecord?) -> Step {
        let view = view(policy, person)
        return Step(
            id: AccountEdit.profile.rawValue,
            type: .profile,
            title: view.texts[.profileTitle],
            nodes: ProfileStep().nodes(view)
        )
    }

    /// Changes a user's attributes according to the policy's rules, given the answers to ``profileChange(_:of:)``.
    ///
    /// - Throws: A `Refusal` with the reason `invalid_answer` and the problems in the answers.
    public func changeProfile(
        _ answers: [String: JSONValue],
        of user: UserID,
        policy: Policy,
        _ caller: Caller
    ) async throws {
        let view = view(policy, nil)
        let edited: [String: JSONValue]
        do throws(Answers.Refused) {
            var answers = try Answers(answers, to: ProfileStep().nodes(view), view.texts)
            edited = AttributeForm(view: view).edited(&answers)
            try answers.finish()
        } catch {
            throw error.refusal
        }
        let event = AuditEvent(.profileChanged, by: caller, user: user, policy: policy.id.description)
        try await FlowRows.refusals.storing { try await store.users.edit(user, edited, events: [event]) }
        await rows.changes.edited(.profile, of: user)
    }

    /// Returns a view of the policy's flow, as if the user had just started the flow.
    private func view(_ policy: Policy, _ person: UserRecord?) -> FlowView {
        let machine = rows.machine(policy, of: rows.catalogue())
        let order = FlowOrder(
            id: "",
            seed: Data(),
            owner: .browser(session: ""),
            client: "",
            policy: policy,
            ends: Deadline(.zero, after: rows.clock.now)
        )
        return machine.view(
            FlowRecord(
                order: order,
                phase: .evaluating(machine.claim("", now: rows.clock.now), over: nil),
                known: FlowFacts(path: .signIn),
                inHand: InHand(profile: person?.attributes)
            )
        )
    }
}

extension Answers.Refused {
    fileprivate var refusal: Refusal {
        switch self {
        case .malformed(let problems): Refusals.invalidAnswer(problems)
        case .refused(let refusal): refusal
        }
    }
}
