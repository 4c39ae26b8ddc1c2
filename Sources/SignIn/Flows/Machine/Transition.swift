import AuthorityStore
import FlowModel

/// What an event does to a flow: the next record, and everything that is written or told with it.
struct Transition: Hashable, Sendable {
    /// The next state of the flow.
    var record: FlowRecord
    /// The question that has to be answered before the flow goes on.
    var evaluation: Evaluation?
    /// Mails to put into the outbox.
    var mails: [MailDraft] = []
    /// Events for the audit.
    var audit: [AuditFact] = []
    /// Changes of the person's account.
    var changes: [AccountChange] = []
    /// What the caller is told.
    private(set) var reply: Reply?

    /// An event for the audit, with its details.
    struct AuditFact: Hashable, Sendable {
        let kind: AuditKind
        var detail: [String: String]
    }

    /// What a caller is told about an answer.
    enum Reply: Hashable, Sendable {
        /// The verdict.
        case verdict(Verdict)
        /// The refusal.
        case refusal(Refusal)
    }

    /// The verdict that the caller is told.
    var verdict: Verdict? {
        if case .verdict(let verdict)? = reply { verdict } else { nil }
    }

    /// The refusal that the caller is told.
    var refusal: Refusal? {
        if case .refusal(let refusal)? = reply { refusal } else { nil }
    }

    /// Tells the caller something; a refusal stands, whatever follows.
    mutating func tell(_ reply: Reply) {
        if case .refusal? = self.reply { return }
        self.reply = reply
    }

    /// Adds what followed from this one.
    mutating func append(_ next: Transition) {
        record = next.record
        evaluation = next.evaluation
        mails += next.mails
        audit += next.audit
        changes += next.changes
        if let reply = next.reply { tell(reply) }
    }
}
