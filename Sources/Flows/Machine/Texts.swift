import FlowModel
import Policies

/// The sentences that no kind of step has for itself; those of a kind are its ``StepKind/texts``.
enum Texts {
    static let interrupted = Message(
        code: "evaluation.interrupted",
        level: .error,
        text: "The last answer could not be checked. Please answer again."
    )

    static let nameTaken = Message(
        code: "name.taken",
        level: .error,
        text: "There is an account of that name already."
    )

    static let codeSent = Message(code: "code.sent", level: .info, text: "A code is on its way.")

    /// The label of the sign-in name.
    static func signInName(_ name: Policies.SignInName) -> String {
        switch name {
        case .email: "E-mail address"
        case .username: "User name"
        case .both: "E-mail address or user name"
        }
    }
}
