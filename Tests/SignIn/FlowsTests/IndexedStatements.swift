import TestSupport
import Testing

@testable import AuthorityStore

extension Trait where Self == StatementCheck {
    /// Checks the statements of the engine.
    ///
    /// The key ring and the operators' objects may be read in full.
    static var indexedStatements: Self {
        StatementCheck(
            bounded: [
                "signing_keys": 64, "clients": AuthorityStore.Clients.greatestNumber,
                "user_groups": Int(AuthorityStore.Groups.greatestNumber),
            ]
        )
    }
}
