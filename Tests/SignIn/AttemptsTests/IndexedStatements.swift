import TestSupport
import Testing

@testable import AuthorityStore

extension Trait where Self == StatementCheck {
    /// The statements that these tests have the store run; the key ring is read whole, and so is what operators make.
    static var indexedStatements: Self {
        StatementCheck(
            bounded: [
                "signing_keys": 64, "clients": AuthorityStore.Clients.greatestNumber,
                "user_groups": Int(AuthorityStore.Groups.greatestNumber),
            ]
        )
    }
}
