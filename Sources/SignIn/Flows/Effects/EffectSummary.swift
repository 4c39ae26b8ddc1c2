import AuthorityStore
import FlowModel
import OAuth
import Policies

/// The effects of one or more events, sorted by the part that acts on them.
struct EffectSummary {
    /// The evaluation that is yet to be run.
    private(set) var work: Evaluation?
    private(set) var mails: [MailDraft] = []
    private(set) var audit: [(AuditKind, [String: String])] = []
    private(set) var finish: FinishPlan?
    private(set) var refusal: Refusal?
    var verdict: Verdict?
    var settled: [ChargeKey] = []
    var stale: StaleHash?

    /// Adds the effects of one more event.
    mutating func take(_ effects: [FlowEffect]) {
        work = nil
        for effect in effects {
            switch effect {
            case .evaluate(let evaluation): work = evaluation
            case .mail(let mail): mails.append(mail)
            case .audit(let event, let detail): audit.append((event, detail))
            case .finish(let plan): finish = plan
            case .answer(let verdict): self.verdict = verdict
            case .refuse(let refusal): self.refusal = refusal
            }
        }
    }
}

extension FlowRunState {
    /// The flow's events as the store takes them.
    func events(
        _ events: [(AuditKind, [String: String])],
        _ caller: Caller,
        user: UserID? = nil
    ) -> [AuditEvent] {
        events.map { name, detail in
            AuditEvent(
                name,
                owner: owner,
                user: user,
                client: client,
                policy: policy.description,
                correlationID: caller.correlationID,
                pid: caller.pid,
                detail: detail
            )
        }
    }
}

extension FlowEffect {
    /// The effect with one more fact for the audit.
    func with(_ name: String, _ value: String) -> FlowEffect {
        guard case .audit(let event, let detail) = self else { return self }
        return .audit(event, detail.merging([name: value]) { $1 })
    }
}
