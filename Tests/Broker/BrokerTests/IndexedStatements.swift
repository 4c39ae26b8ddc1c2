import TestSupport
import Testing

@testable import AuthorityStore
@testable import TokenCache

extension Trait where Self == StatementCheck {
    /// The statements that these tests run on both stores.
    ///
    /// Small and bounded tables may be read in full.
    static var indexedStatements: Self {
        StatementCheck(
            bounded: [
                "signing_keys": 64, "clients": AuthorityStore.Clients.greatestNumber,
                "user_groups": Int(AuthorityStore.Groups.greatestNumber),
                "pending_sign_outs": TokenCache.SignOuts.mostPending, "vaults": TokenCache.Vaults.most,
            ]
        )
    }
}
