import TestSupport
import Testing

@testable import TokenCache

extension Trait where Self == StatementCheck {
    /// Fails a test whose statements scan a whole table, except for two small tables.
    ///
    /// Pending sign-outs are read in full to complete them, and vaults are read in full at startup.
    static var indexedStatements: Self {
        StatementCheck(
            bounded: ["pending_sign_outs": TokenCache.SignOuts.mostPending, "vaults": TokenCache.Vaults.most]
        )
    }
}
