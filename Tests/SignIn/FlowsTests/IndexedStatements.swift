import TestSupport
import Testing

@testable import AuthorityStore

extension Trait where Self == StatementCheck {
    /// A trait that makes a test fail if one of its SQL statements reads a whole table.
    ///
    /// Only the tables of signing keys, clients and group memberships, whose sizes are limited, may be read in full.
    static var indexedStatements: Self {
        StatementCheck(
            bounded: [
                "signing_keys": 64, "clients": AuthorityStore.Clients.greatestNumber,
                "user_groups": Int(AuthorityStore.Groups.greatestNumber),
            ]
        )
    }
}
