import TestSupport
import Testing

@testable import AuthorityStore

extension Trait where Self == StatementCheck {
    /// A trait that makes a test fail if one of its SQL statements reads a whole table.
    ///
    /// Only the tables of signing keys, clients and group memberships, whose sizes are limited, may be read in full.
    static var indexedStatements: Self { indexedStatements(besides: [:]) }

    /// Returns the same trait with exceptions for statements of individual tests.
    ///
    /// Each key of `more` is a part of a permitted statement, and its value is the reason for the exception.
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
