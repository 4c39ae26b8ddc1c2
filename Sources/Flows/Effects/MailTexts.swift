import AuthorityStore
import OAuth

/// The texts of the mails of flows.
enum MailTexts {
    /// The mail of a draft; a code stands alone on a line.
    static func mail(_ draft: MailDraft) -> OutboxMail {
        switch draft {
        case .code(let to, let code):
            OutboxMail(
                to: to,
                subject: "Your code",
                body: Secret(
                    """
                    Somebody, we hope you, asked for this code:

                    \(code.reveal())

                    It is good once, for a few minutes. If you did not ask for it, do nothing, and tell it to nobody.

                    """
                )
            )
        case .notInvited(let to):
            OutboxMail(
                to: to,
                subject: "Sign-up is by invitation",
                body: Secret(
                    """
                    Somebody, we hope you, tried to sign up with this address. That needs an invitation, and there is none for it.

                    If it was you, ask an operator for one. If not, do nothing.

                    """
                )
            )
        case .accountExists(let to):
            OutboxMail(
                to: to,
                subject: "You have an account",
                body: Secret(
                    """
                    Somebody, we hope you, tried to sign up with this address. You have an account already.

                    If it was you, sign in instead. If not, do nothing.

                    """
                )
            )
        }
    }
}
