public import AuthorityStore
public import FlowModel
import Foundation
import Moments
public import OAuth
public import Policies
import Storage
import StoreRefusals

extension Flows {
    /// The question by which a person who is signed in changes attributes, outside of any flow.
    ///
    /// - Parameters:
    ///   - policy: The policy that lets people change them.
    ///   - person: The person whose values the fields are filled in with.
    /// - Returns: The question, with the fields of the flow of that policy.
    public func profileChange(_ policy: Policy, of person: UserRecord?) -> Step {
        let context = context(policy, person)
        return Step(
            id: AccountEdit.profile.rawValue,
            type: .profile,
            title: context.texts[.profileTitle],
            nodes: ProfileStep().nodes(context)
        )
    }

    /// Changes a person's attributes, by the rules of the flow of that policy.
    ///
    /// - Parameters:
    ///   - answers: The answers to ``profileChange(_:of:)``.
    ///   - user: The person.
    ///   - policy: The policy.
    ///   - caller: The browser in which the person is signed in.
    /// - Throws: `Refusal`: `invalidAnswer` with the problems of the answers.
    public func changeProfile(
        _ answers: [String: JSONValue],
        of user: UserID,
        policy: Policy,
        _ caller: Caller
    ) async throws {
        let context = context(policy, nil)
        let edited: [String: JSONValue]
        do throws(Answers.Refused) {
            var answers = try Answers(answers, to: ProfileStep().nodes(context), context.texts)
            edited = AttributeForm(context: context).edited(&answers)
            try answers.finish()
        } catch {
            throw error.refusal
        }
        let event = AuditEvent(.profileChanged, by: caller, user: user, policy: policy.id.description)
        try await Self.rows.storing { try await store.users.edit(user, edited, events: [event]) }
        await changes.edited(.profile, of: user)
    }

    /// The flow of a policy as it would begin for a person.
    private func context(_ policy: Policy, _ person: UserRecord?) -> FlowContext {
        let machine = FlowMachine(
            policy: policy,
            catalogue: catalogue(),
            runner: runs.own,
            today: CalendarDay(secondsSince1970: clock.now.seconds)
        )
        var state = FlowRunState(
            id: "",
            seed: Data(),
            owner: .browser(session: ""),
            client: "",
            policy: policy.id,
            policyDigest: policy.digest,
            requirement: Requirement(),
            want: Flow.Want(),
            pendingRequest: nil,
            ends: Deadline(.zero, after: clock.now),
            path: .signIn,
            prefill: [:]
        )
        state.profile = person?.attributes
        return machine.context(state)
    }
}

extension Answers.Refused {
    /// The refusal of answers outside of a flow.
    var refusal: Refusal {
        switch self {
        case .malformed(let problems): Refusals.invalidAnswer(problems)
        case .refused(let refusal): refusal
        }
    }
}
