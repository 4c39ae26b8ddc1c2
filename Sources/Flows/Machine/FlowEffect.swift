import FlowModel
import Foundation
import OAuth
import Policies

/// A thing to be done because of an event.
enum FlowEffect: Hashable, Sendable {
    /// Find something out and come back with a ``Finding``.
    case evaluate(Evaluation)
    /// Put a mail into the outbox, with the state.
    case mail(MailDraft)
    /// Write an audit event, with the state.
    case audit(AuditKind, [String: String] = [:])
    /// Write the user, the authentication and the session, with the state.
    case finish(FinishPlan)
    /// Tell the caller what became of the answer.
    case answer(Verdict)
    /// Tell the caller no.
    case refuse(Refusal)
}

/// A question that the machine cannot answer itself.
enum Evaluation: Hashable, Sendable {
    /// Compares a password with that of the user of a name.
    case password(name: String, password: Secret, check: Check)
    /// Compares a code with the one that was sent.
    case code(typed: Secret, sent: SentCode, check: Check)
    /// The hash of a new password; nothing is hashed where the address could not be sent a mail that has to follow.
    case hash(Secret, mailTo: String?)
    /// A code for an address, and the mail with it.
    case makeCode(CodeRecipient, Check)
}

/// The recipient of a code.
enum CodeRecipient: Hashable, Sendable {
    /// Somebody who says that a new account's address is his.
    case newAddress(String)
    /// A user who proved something else before.
    case person(ProvenPerson, check: String)
    /// Whoever has this name, if anybody.
    case name(String, check: String)
}

/// The rows that a flow that succeeds writes.
struct FinishPlan: Hashable, Sendable {
    let user: UserID
    /// The account to make, if the person is new.
    let draft: Draft?
    let authentication: Authentication
    /// The id of the session to leave, if the policy remembers anybody.
    let session: String?
}
