import Policies
import Synchronization

/// A cache of the issuers' metadata documents, with one document per policy.
///
/// The cache is emptied when settings or policies are reloaded.
final class IssuerDocuments: Sendable {
    private struct Written {
        let settings: AuthoritySettings
        let catalogue: PolicyCatalogue
        var documents: [PolicyID: [UInt8]] = [:]
    }

    private let written = Mutex<Written?>(nil)

    /// Returns a policy's metadata document, which `write` creates if the document is not cached.
    ///
    /// Returns `nil` if `write` returns `nil`, because the policy is not an issuer.
    func document(
        of policy: PolicyID,
        _ settings: AuthoritySettings,
        _ catalogue: PolicyCatalogue,
        write: () -> [UInt8]?
    ) -> [UInt8]? {
        let known = written.withLock { written -> [UInt8]? in
            // Comparing the values is fast, because old and new values share their storage unless they were reloaded.
            guard written?.settings == settings, written?.catalogue == catalogue else {
                written = Written(settings: settings, catalogue: catalogue)
                return nil
            }
            return written?.documents[policy]
        }
        if let known { return known }
        guard let document = write() else { return nil }
        written.withLock { written in
            if written?.settings == settings, written?.catalogue == catalogue {
                written?.documents[policy] = document
            }
        }
        return document
    }
}
