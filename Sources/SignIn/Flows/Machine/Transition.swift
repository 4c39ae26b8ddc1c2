import AuthorityStore
import FlowModel

struct Transition: Hashable, Sendable {
    var record: FlowRecord
    var evaluation: Evaluation?
    var mails: [MailDraft] = []
    var audit: [AuditFact] = []
    var changes: [AccountChange] = []
    private(set) var reply: Reply?

    struct AuditFact: Hashable, Sendable {
        let kind: AuditKind
        var detail: [String: String]
    }

    enum Reply: Hashable, Sendable {
        case verdict(Verdict)
        case refusal(Refusal)
    }

    var verdict: Verdict? {
        if case .verdict(let verdict)? = reply { verdict } else { nil }
    }

    var refusal: Refusal? {
        if case .refusal(let refusal)? = reply { refusal } else { nil }
    }

    /// Sets the reply to the caller, unless it is already a refusal.
    mutating func tell(_ reply: Reply) {
        if case .refusal? = self.reply { return }
        self.reply = reply
    }

    mutating func append(_ next: Transition) {
        record = next.record
        evaluation = next.evaluation
        mails += next.mails
        audit += next.audit
        changes += next.changes
        if let reply = next.reply { tell(reply) }
    }
}
