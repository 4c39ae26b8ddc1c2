import Attempts
import AuthorityStore
import FlowModel
import Policies

extension UserChecks {
    /// Throws `blocked`, before the user is prompted, if no attempts are left for one of the checks.
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

    /// Returns the users and sign-in names that a wrong answer counts against, without revealing if an account exists.
    private func subjects(_ who: RequiredUser?, _ user: UserID?) async throws -> [Subject] {
        switch (who, user) {
        case (.signInName(let name)?, _): return [Subject(typed: name, of: user)]
        case (.user?, let user?), (.hint?, let user?), (nil, let user?):
            // An incorrect PIN or code counts against the user. An incorrect password counts against the sign-in name,
            // which is already filled in for a known user.
            let name = try await authority.store.users.get(user)?.username
            return [.user(user)] + (name.map { [.typed($0, user)] } ?? [])
        case (.user?, nil), (.hint?, nil), (nil, nil): return []
        }
    }

    /// Returns the user for audit events, or `nil` for a typed sign-in name, to hide whether its account exists.
    private static func named(_ who: RequiredUser?, _ user: UserID?) -> UserID? {
        switch who {
        case .signInName: nil
        case .user, .hint, nil: user
        }
    }
}
