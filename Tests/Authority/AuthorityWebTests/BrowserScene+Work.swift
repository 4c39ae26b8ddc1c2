import AuthorityStore
import TestSupport

extension BrowserScene {
    /// Returns the number of commits in the write-ahead log of the database.
    func commits() throws -> Int { try TestSupport.commits(inLogOf: folder.path("state/authority.sqlite")) }
}
