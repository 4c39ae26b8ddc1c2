import Attempts
import AuthorityStore
import FlowModel
import Policies

extension Authority {
    /// Refuses with `blocked` if a budget is used up, before anybody is asked (contract §4).
    func refuseIfBlocked(
        _ checks: [Check],
        policy: PolicyID,
        client: String,
        who: RequiredUser?,
        user: UserID?,
        _ caller: Caller
    ) async throws {
        guard let subject = Self.subject(who, user) else { return }
        for check in checks {
            let status = try await attempts.status(
                check: CheckBudget(check),
                subject: subject,
                origin: caller.origin
            )
            guard let refusal = status.refusal else { continue }
            guard !status.isCrowded else { throw refusal }
            try await store.audit.append([
                AuditEvent(
                    .signInBlocked,
                    by: caller,
                    user: user,
                    client: client,
                    policy: policy.description,
                    detail: ["check": check.name]
                )
            ])
            throw refusal.with(.check, check.name)
        }
    }

    private static func subject(_ who: RequiredUser?, _ user: UserID?) -> Subject? {
        if let user { return .user(user) }
        if case .signInName(let name) = who { return .name(name) }
        return nil
    }
}
