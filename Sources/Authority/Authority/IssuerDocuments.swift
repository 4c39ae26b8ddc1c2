import Policies
import Synchronization

/// A cache of the issuers' metadata documents.
///
/// The cache is emptied when the configuration or the policies are reloaded.
///
/// It has at most one entry per policy.
final class IssuerDocuments: Sendable {
    private struct Written {
        let settings: AuthoritySettings
        let catalogue: PolicyCatalogue
        var documents: [PolicyID: [UInt8]] = [:]
    }

    private let written = Mutex<Written?>(nil)

    /// Returns the document of a policy's issuer, created by `write` if it is not cached, or `nil` if there is no such
    /// issuer.
    func document(
        of policy: PolicyID,
        _ settings: AuthoritySettings,
        _ catalogue: PolicyCatalogue,
        write: () -> [UInt8]?
    ) -> [UInt8]? {
        let known = written.withLock { written -> [UInt8]? in
            // Comparing values that share their storage is fast, so the comparison takes time only after a reload.
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
