import AuthorityStore
import OAuth

extension Texts {
    /// The mail of a draft; a code stands alone on a line.
    func mail(_ draft: MailDraft) -> OutboxMail {
        switch draft {
        case .code(let to, let code): mail(to, .codeMailSubject, .codeMail, ["code": code.reveal()])
        case .notInvited(let to): mail(to, .notInvitedMailSubject, .notInvitedMail)
        case .accountExists(let to): mail(to, .accountExistsMailSubject, .accountExistsMail)
        }
    }

    private func mail(
        _ to: String,
        _ subject: TextKey,
        _ body: TextKey,
        _ values: [String: String] = [:]
    ) -> OutboxMail {
        OutboxMail(to: to, subject: self[subject], body: Secret(self[body, values] + "\n"))
    }
}
