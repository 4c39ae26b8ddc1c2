import FlowModel
import Moments
import OAuth
import Policies

extension FlowMachine {
    /// The flow as its owner sees it; what an evaluation consumes is not shown.
    func view(_ state: FlowRunState) -> Flow {
        guard let step = state.step, state.evaluating == nil, !state.isTerminal else { return Self.outline(state) }
        return Flow(
            id: state.id,
            rev: state.rev,
            policy: state.policy.description,
            state: state.state,
            expiresAt: state.ends.wall,
            stepExpiresAt: step.ends.wall,
            want: state.want,
            step: view(of: step, state),
            retryAfterMs: state.retryAfterMs
        )
    }

    /// The flow without its step.
    static func outline(_ state: FlowRunState) -> Flow {
        Flow(
            id: state.id,
            rev: state.rev,
            policy: state.policy.description,
            state: state.state,
            expiresAt: state.ends.wall,
            want: state.want,
            retryAfterMs: state.retryAfterMs
        )
    }

    /// What may be done instead of answering.
    func actions(of step: OpenStep, _ state: FlowRunState) -> [Action] {
        var actions = [Action(.cancel)]
        switch step.type {
        case .attributes:
            let mayReturn = policy.kind.signsIn && state.requirement.entrance == .policy
            if mayReturn { actions.append(Action(.back)) }
        case .password, .identifier:
            if mayCreate(state) { actions.append(Action(.create)) }
        case .code:
            let mayResend = state.mails < FlowLimits.mailsPerFlow
            if mayResend { actions.append(Action(.resend, availableAt: state.code?.resend.wall)) }
            if state.person == nil { actions.append(Action(.back)) }
        case .consent: break
        }
        return actions
    }

    private func mayCreate(_ state: FlowRunState) -> Bool {
        if case .user = state.requirement.user { return false }
        let isForNames = signUp == .invited && policy.signInName == .username
        return policy.kind.signsUp && state.path == .signIn && signUp != .closed && !isForNames
    }

    private func view(of step: OpenStep, _ state: FlowRunState) -> Step {
        Step(
            id: Self.stepID(state, step.ordinal),
            type: step.type,
            check: step.check,
            title: title(step.type),
            nodes: nodes(step.type, state),
            attempts: step.attempts,
            messages: step.messages,
            actions: actions(of: step, state),
            data: facts(step.type, state)
        )
    }

    private func title(_ type: StepType) -> String {
        switch type {
        case .attributes: "Sign up"
        case .identifier, .password: "Sign in"
        case .code: "Enter the code from the e-mail"
        case .consent: "Allow access"
        }
    }

    private func nodes(_ type: StepType, _ state: FlowRunState) -> [Node] {
        switch type {
        case .attributes: attributeNodes(state)
        case .identifier: identifierNodes(state)
        case .password: passwordNodes(state)
        case .code: codeNodes()
        case .consent: consentNodes(state)
        }
    }

    private func facts(_ type: StepType, _ state: FlowRunState) -> JSONValue? {
        switch type {
        case .code: codeFacts(state)
        case .consent: consentFacts(state)
        case .attributes, .identifier, .password: nil
        }
    }
}
