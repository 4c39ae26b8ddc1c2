import FlowModel
import Moments
import OAuth
import Policies

/// The sign-in name, which several steps ask for.
extension FlowMachine {
    /// The node for the sign-in name, filled in with the name if it is known.
    func nameNode(_ state: FlowRunState) -> Node {
        Node(
            name: "username",
            kind: .text,
            label: texts(state).signInName(policy.signInName),
            required: true,
            value: knownName(state),
            minLength: 1,
            maxLength: FlowLimits.nameLength
        )
    }

    /// The name to fill in: the one typed before, the required one, or the request's.
    func knownName(_ state: FlowRunState) -> String? {
        if let person = state.person { return person.username }
        if let typed = state.typedName { return typed }
        switch state.requirement.user {
        case .signInName(let name), .hint(let name): return name
        case .user, nil: return state.prefill["username"]?.string ?? state.prefill["email"]?.string
        }
    }

    /// True if an account may be made instead of signing in.
    func mayCreate(_ state: FlowRunState) -> Bool {
        if case .user = state.requirement.user { return false }
        let isForNames = signUp == .invited && policy.signInName == .username
        return policy.kind.signsUp && state.path == .signIn && signUp != .closed && !isForNames
            && unshown(state, on: .signUp) == nil
    }

    /// Switches to making an account.
    func create(_ state: inout FlowRunState, _ submission: String, now: Moment) -> [FlowEffect] {
        claim(&state, submission, now: now)
        state.path = .signUp
        return advance(&state, now: now)
    }
}
