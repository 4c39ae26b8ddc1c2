import Attempts
import AuthorityStore
import FlowModel
import Policies

extension UserChecks {
    /// Refuses with `blocked` if a budget is used up, before anybody is asked (contract §4).
    func refuseIfBlocked(
        _ checks: [Check],
        policy: PolicyID,
        client: String,
        who: RequiredUser?,
        user: UserID?,
        _ caller: Caller
    ) async throws {
        let subjects = try await subjects(who, user)
        for (check, subject) in checks.flatMap({ check in subjects.map { (check, $0) } }) {
            let status = try await authority.attempts.status(
                check: CheckBudget(check),
                subject: subject,
                origin: caller.origin
            )
            guard let refusal = status.refusal else { continue }
            guard !status.isCrowded else { throw refusal }
            try await authority.store.audit.append([
                AuditEvent(
                    .signInBlocked,
                    by: caller,
                    user: Self.named(who, user),
                    client: client,
                    policy: policy.description,
                    detail: ["check": check.name]
                )
            ])
            throw refusal.with(.check, check.name)
        }
    }

    /// The subjects that the next answer may be charged to; for a name only what may be told of the name.
    private func subjects(_ who: RequiredUser?, _ user: UserID?) async throws -> [Subject] {
        switch (who, user) {
        case (.signInName(let name)?, _): return [Subject(typed: name, of: user)]
        case (.user?, let user?), (.hint?, let user?), (nil, let user?):
            // A user is asked for a PIN or a code, or for a password under the name that is filled in.
            let name = try await authority.store.users.get(user)?.username
            return [.user(user)] + (name.map { [.typed($0, user)] } ?? [])
        case (.user?, nil), (.hint?, nil), (nil, nil): return []
        }
    }

    /// The user that the audit may name to the caller: a name that was typed must not tell whose it is.
    private static func named(_ who: RequiredUser?, _ user: UserID?) -> UserID? {
        switch who {
        case .signInName: nil
        case .user, .hint, nil: user
        }
    }
}
