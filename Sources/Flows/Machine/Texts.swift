import FlowModel
import Policies

/// The sentences shared by all kinds of steps; those of one kind are its ``StepKind/texts``.
enum Texts {
    static let interrupted = Message(
        code: "evaluation.interrupted",
        level: .error,
        text: "The last answer could not be checked. Please answer again."
    )

    /// The refusal of a sign-in name that was given in `node`.
    static func nameTaken(_ node: String?) -> Message {
        Message(code: "name.taken", level: .error, text: "There is an account of that name already.", node: node)
    }

    /// - Parameters:
    ///   - hint: The part of the address by which its owner recognises it.
    ///   - outbox: The folder in which mails stay.
    /// - Returns: The message that a code step opens with.
    static func codeSent(to hint: String, outbox: String?) -> Message {
        let place = outbox.map { " (in the outbox \($0))" } ?? ""
        return Message(code: "code.sent", level: .info, text: "A code was sent to \(hint)\(place).")
    }

    /// The label of the sign-in name.
    static func signInName(_ name: Policies.SignInName) -> String {
        switch name {
        case .email: "E-mail address"
        case .username: "User name"
        case .both: "E-mail address or user name"
        }
    }
}
