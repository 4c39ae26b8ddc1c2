import TestSupport
import Testing

@testable import AuthorityStore

extension Trait where Self == StatementCheck {
    /// The key ring and the operators' objects (clients and group memberships) may be read in full.
    static var indexedStatements: Self { indexedStatements(besides: [:]) }

    /// The same check, with exceptions for statements of individual tests: a part of each statement and the reason.
    static func indexedStatements(besides more: [String: String]) -> Self {
        StatementCheck(
            bounded: [
                "signing_keys": 64, "clients": AuthorityStore.Clients.greatestNumber,
                "user_groups": Int(AuthorityStore.Groups.greatestNumber),
            ],
            exceptions: [
                "revoked_reason = 'restored'": "a restore ends every family, once, by an operator",
                "DELETE FROM outbox": "a restore sends no mail of before, once",
                "SELECT count(*) FROM users": "a restore says how many people it brought, once",
                "AS sealed FROM": "a restore opens every sealed value, once",
                "SELECT sum(forgotten) FROM audit_owners": "an examination of the audit, by an operator",
                "SELECT coalesce(max(seq), 0) - count(*) FROM audit": "an examination of the audit, by an operator",
            ].merging(more) { $1 }
        )
    }
}
