import AuthorityStore
import FlowModel
import Moments
import OAuth
import Policies

/// A flow as its owner sees it: the open step with its nodes and actions, or the outcome.
struct FlowView: Sendable {
    let plan: FlowPlan

    var machine: FlowMachine { plan.machine }
    var record: FlowRecord { plan.record }
    var policy: Policy { plan.policy }

    func flow(attempts: AttemptsLeft? = nil) -> Flow {
        guard case .asking(let step) = record.phase else { return Self.outline(record) }
        return Self.outline(record, step: self.step(step, attempts), stepExpiresAt: step.ends.wall)
    }

    /// Returns the flow without using its policy, which may no longer exist.
    static func outline(_ record: FlowRecord, step: Step? = nil, stepExpiresAt: Int64? = nil) -> Flow {
        let end = record.phase.end
        var flow = Flow(
            id: record.order.id,
            rev: record.history.revision,
            policy: record.order.policy.description,
            state: record.state,
            expiresAt: record.order.ends.wall,
            stepExpiresAt: stepExpiresAt,
            want: record.order.want,
            step: step,
            retryAfterMs: end?.retryAfterMs
        )
        flow.userIdentity = record.outcome?.userIdentity
        flow.message = end?.message
        flow.usedUp = end?.usedUp
        flow.openedBy = record.history.openedBy
        flow.openings = record.history.openings
        return flow
    }

    func actions(of step: OpenStep) -> [Action] {
        let offersChoice = plan.mayChoose || plan.providerToLink != nil || !plan.choices(of: step).isEmpty
        return [Action(.cancel)] + step.kind.actions(self) + (offersChoice ? [Action(.choose)] : [])
    }

    var budget: StepBudget? {
        if case .asking(let step) = record.phase { step.kind.budget(plan) } else { nil }
    }

    private func step(_ step: OpenStep, _ attempts: AttemptsLeft?) -> Step {
        let app = record.order.requirement.consent?.clientName ?? record.order.client
        return Step(
            id: record.stepID(step.ordinal),
            type: step.kind.type,
            check: step.check,
            title: texts[step.kind.title(record), ["app": app]],
            nodes: step.kind.nodes(self),
            attempts: attempts,
            messages: step.messages,
            actions: actions(of: step),
            data: data(of: step)
        )
    }

    private func data(of step: OpenStep) -> JSONValue? {
        var members = step.kind.data(record)?.object ?? [:]
        for (name, choices) in [
            (StepChoice.member, shownChoices(of: step)), (StepChoice.providers, shownProviders),
        ] where !choices.isEmpty {
            members[name] = .array(choices.map(\.json))
        }
        return members.isEmpty ? nil : .object(members)
    }

    private func shownChoices(of step: OpenStep) -> [StepChoice] {
        plan.choices(of: step).map { name in
            let type = machine.catalogue[check: name]?.type
            let kind = StepKinds.all.first { $0.checkType == type && type != nil }
            return StepChoice(value: name, label: kind?.texts.choice.map { texts[$0] } ?? name)
        }
    }

    /// The providers that a local program can offer (web pages have their own buttons instead).
    private var shownProviders: [StepChoice] {
        guard plan.mayChoose, record.known.provider == nil, case .local = record.order.owner else { return [] }
        return policy.providers.compactMap { name in
            machine.providerName(name).map { StepChoice(value: name, label: texts[.providerChoice, ["name": $0]]) }
        }
    }

    /// The languages in which to show the flow, preferred first: the user's, then the policy's, then English.
    var languages: [LanguageTag] {
        [record.order.presentation.language, policy.language, .english].compactMap { $0 }
    }

    var texts: Texts { Texts(for: languages, of: policy) }

    func mails(_ drafts: [MailDraft], from origin: Origin, at now: Moment) -> [OutboxMail] {
        let facts = MailFacts(
            app: policy.pages.title,
            origin: origin,
            time: now,
            codeInSubject: machine.codeInSubject
        )
        return drafts.map { texts.mail($0, facts) }
    }

    var nameNode: Node {
        Node(
            name: "username",
            kind: .text,
            label: texts.signInName(policy.signInName),
            required: true,
            value: plan.knownName.map(MailAddress.shown),
            minLength: 1,
            maxLength: FlowLimits.nameLength
        )
    }

    /// Whether the user can reset a forgotten password, which requires a password reset policy.
    var mayForget: Bool {
        policy.kind.signsIn && record.known.path == .signIn && machine.catalogue.first(.passwordReset) != nil
            && plan.unshown(on: .reset) == nil
    }

    var mayCreate: Bool {
        if case .user = record.order.requirement.user { return false }
        let isForNames = machine.signUp == .invited && policy.signInName == .username
        return policy.kind.signsUp && record.known.path == .signIn && machine.signUp != .closed && !isForNames
            && plan.unshown(on: .signUp) == nil
    }

    /// Rejects prefilled values for nodes that do not exist or that are secret.
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
