import TestSupport
import Testing

@testable import AuthorityStore

extension Trait where Self == StatementCheck {
    /// Fails a test if a statement on the authority's store scans a whole table.
    ///
    /// Signing keys, clients and user groups are exempt because their tables are small.
    static var indexedStatements: Self {
        StatementCheck(
            bounded: [
                "signing_keys": 64, "clients": AuthorityStore.Clients.greatestNumber,
                "user_groups": Int(AuthorityStore.Groups.greatestNumber),
            ]
        )
    }
}
