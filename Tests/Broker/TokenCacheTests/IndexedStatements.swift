import TestSupport
import Testing

@testable import TokenCache

extension Trait where Self == StatementCheck {
    /// The pending sign-outs are read in full to complete them, and the vaults at startup.
    static var indexedStatements: Self {
        StatementCheck(
            bounded: ["pending_sign_outs": TokenCache.SignOuts.mostPending, "vaults": TokenCache.Vaults.most]
        )
    }
}
