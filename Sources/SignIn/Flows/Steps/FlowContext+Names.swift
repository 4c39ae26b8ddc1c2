import FlowModel
import Moments
import OAuth
import Policies

/// The sign-in name, which several steps ask for.
extension FlowContext {
    /// The node for the sign-in name, filled in with the name if it is known.
    var nameNode: Node {
        Node(
            name: "username",
            kind: .text,
            label: texts.signInName(policy.signInName),
            required: true,
            value: knownName,
            minLength: 1,
            maxLength: FlowLimits.nameLength
        )
    }

    /// The name to fill in: the one typed before, the required one, or the request's.
    var knownName: String? {
        if let person = state.person { return person.username }
        if let typed = state.typedName { return typed }
        switch state.requirement.user {
        case .signInName(let name), .hint(let name): return name
        case .user, nil: return state.prefill["username"]?.string ?? state.prefill["email"]?.string
        }
    }

    /// True if a new password may be set instead of proving the old one: where there is a policy for it.
    var mayForget: Bool {
        policy.kind.signsIn && state.path == .signIn && machine.catalogue.first(.passwordReset) != nil
            && unshown(on: .reset) == nil
    }

    /// True if an account may be made instead of signing in.
    var mayCreate: Bool {
        if case .user = state.requirement.user { return false }
        let isForNames = machine.signUp == .invited && policy.signInName == .username
        return policy.kind.signsUp && state.path == .signIn && machine.signUp != .closed && !isForNames
            && unshown(on: .signUp) == nil
    }
}
