import TestSupport
import Testing

@testable import AuthorityStore
@testable import TokenCache

extension Trait where Self == StatementCheck {
    /// Fails a test if a statement on the authority's store or the token cache scans a whole table.
    ///
    /// Tables with a bounded number of rows are exempt.
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
