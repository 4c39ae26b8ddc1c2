import AuthorityStore
import TestSupport

extension BrowserScene {
    /// How many commits the write-ahead log of the database holds.
    func commits() throws -> Int { try TestSupport.commits(inLogOf: folder.path("state/authority.sqlite")) }
}
