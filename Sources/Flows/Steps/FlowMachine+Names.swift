import FlowModel
import Moments
import OAuth
import Policies

/// The sign-in name, which several steps ask for.
extension FlowMachine {
    /// The node for the sign-in name, filled in where the name is known.
    func nameNode(_ state: FlowRunState) -> Node {
        Node(
            name: "username",
            kind: .text,
            label: Texts.signInName(policy.signInName),
            required: true,
            value: knownName(state),
            minLength: 1,
            maxLength: FlowLimits.nameLength
        )
    }

    /// The name that is filled in: the one that was typed before, that is required, or that the request brought.
    func knownName(_ state: FlowRunState) -> String? {
        if let person = state.person { return person.username }
        if let typed = state.typedName { return typed }
        switch state.requirement.user {
        case .signInName(let name), .hint(let name): return name
        case .user, nil: return state.prefill["username"]?.string ?? state.prefill["email"]?.string
        }
    }

    /// True where an account may be made instead of signing in.
    func mayCreate(_ state: FlowRunState) -> Bool {
        if case .user = state.requirement.user { return false }
        let isForNames = signUp == .invited && policy.signInName == .username
        return policy.kind.signsUp && state.path == .signIn && signUp != .closed && !isForNames
    }

    /// Goes over to making an account.
    func create(_ state: inout FlowRunState, _ submission: String, now: Moment) -> [FlowEffect] {
        claim(&state, submission, now: now)
        state.path = .signUp
        return advance(&state, now: now)
    }
}
