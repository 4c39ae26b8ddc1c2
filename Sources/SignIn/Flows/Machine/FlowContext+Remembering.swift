import FlowModel
import Policies

/// The choice of a person to be remembered, so that a check is not asked again for a while.
extension FlowContext {
    /// True if the flow's end leaves a session.
    var leavesSession: Bool { policy.session.scope != .none && state.leavesNoSession != true }

    /// True if the open step lets the person choose to be remembered: its check allows it, and there is a session to come
    /// back to.
    var offersToRemember: Bool { leavesSession && check.map { $0.rememberMe > .zero } == true }

    /// True if the proof of a check is one of a person who asked to be remembered by it.
    func remembers(_ check: Check) -> Bool {
        switch state.path {
        case .signIn: state.remembers == true && check.rememberMe > .zero && check.credential == .password
        case .signUp, .reset: false
        }
    }
}
