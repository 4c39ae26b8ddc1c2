import AuthorityStore
import FlowModel

/// The effects of an event on a flow: the next record, and everything to write or report with it.
struct Transition: Hashable, Sendable {
    /// The next state of the flow.
    var record: FlowRecord
    /// The evaluation to run before the flow can continue, or `nil` if there is none.
    var evaluation: Evaluation?
    /// Email messages to put into the outbox.
    var mails: [MailDraft] = []
    /// Events for the audit log.
    var audit: [AuditFact] = []
    /// The changes to write to the user's account.
    var changes: [AccountChange] = []
    /// The reply to the caller, or `nil` if there is none.
    private(set) var reply: Reply?

    /// An event for the audit log, with its details.
    struct AuditFact: Hashable, Sendable {
        let kind: AuditKind
        var detail: [String: String]
    }

    /// The reply to the caller who submitted an answer or action.
    enum Reply: Hashable, Sendable {
        /// The verdict on the answer.
        case verdict(Verdict)
        /// The refusal of the answer.
        case refusal(Refusal)
    }

    /// The verdict for the caller, or `nil` if there is none.
    var verdict: Verdict? {
        if case .verdict(let verdict)? = reply { verdict } else { nil }
    }

    /// The refusal for the caller, or `nil` if there is none.
    var refusal: Refusal? {
        if case .refusal(let refusal)? = reply { refusal } else { nil }
    }

    /// Sets the reply to the caller.
    ///
    /// A refusal is never overwritten.
    mutating func tell(_ reply: Reply) {
        if case .refusal? = self.reply { return }
        self.reply = reply
    }

    /// Appends the effects of a transition that follows this one.
    mutating func append(_ next: Transition) {
        record = next.record
        evaluation = next.evaluation
        mails += next.mails
        audit += next.audit
        changes += next.changes
        if let reply = next.reply { tell(reply) }
    }
}
